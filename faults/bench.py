"""What every trial works with: the template of a world, what undisturbed commands do, the questions put to a world."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from faults.answers import announced, answer, apart, clear_error, wrong
from faults.commands import Builder, builders, questions
from faults.installed import import_these
from faults.losses import State, state
from faults.process import Command, Done, Setup, cold, forked, gather, run
from faults.strikes import Counter, at_operation, before_publishing, importing, noting
from faults.trial import Trial
from faults.world import Places, empty, lay_out

ANY = "any"
"""Any answer is right that is one."""


@dataclass(frozen=True)
class Clean:
    """What an undisturbed command does. before, after: the world; answers_before, answers_after: to the questions it
    may move. seconds, operations: of the command in a fork. sizes: of the files that it writes."""

    before: State
    after: State
    answers_before: dict[str, str]
    answers_after: dict[str, str]
    answer: str
    seconds: float
    operations: int
    sizes: tuple[int, ...]


class Bench:
    def __init__(self, places: Places) -> None:
        self.places = places
        self.questions = questions(places)
        self.builders = builders(places, "")
        self._clean: dict[str, Clean] = {}
        self._cold: dict[str, float] = {}

    def builder(self, name: str) -> Builder:
        return next(one for one in self.builders if one.name == name)

    def make_template(self) -> None:
        """A world in which everything was built, chosen, kept and logged once; and what an interrupted build left."""
        world = empty(self.places)
        brought = ("import", "import --update", "import --replace", "fetch")
        first = (*brought, "first use", "enrich", "--layers", "pool", "report")
        noted = self.places.base / "imported"
        for command in [*(self.builder(name).command for name in first), *self.questions.values()]:
            self.must(command, importing(noted))
            import_these(noted.read_text(encoding="utf-8").splitlines())
            noted.unlink()
        gc.collect()
        gc.freeze()  # a child's collector would touch, and so copy, every page of what was imported
        self._leave_parts()
        self.must(Command("hybrid_search_cli", ("rrf-search", "orchard", "--dataset", "films.json", "--encoder",
                                                self.places.encoder)))  # fmt: skip
        last = max((world / "logs").glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
        self.builders = builders(self.places, last.stem)
        world.rename(self.places.template)

    def _leave_parts(self) -> None:
        """Interrupt a build of vectors between its last part and its end."""
        command = Command("semantic_search_cli", ("verify_embeddings", "--dataset", "edited.json", "--encoder",
                                                  self.places.encoder))  # fmt: skip
        gather([forked(command, self.places, before_publishing("document_vectors"))])
        assert any(self.places.world.glob("cache/document_vectors_parts/*/*.json"))

    def must(self, command: Command, setup: Setup = lambda: None) -> Done:
        """An undisturbed command, which has to give an answer."""
        done = run(command, self.places, setup)
        if not answer(done) or wrong(done):
            raise AssertionError(f"{command}: status {done.status}\n{done.out[-400:]}\n{done.err[-2000:]}")
        return done

    def ask(self, names: Iterable[str]) -> dict[str, Done]:
        return {name: run(self.questions[name], self.places) for name in names}

    def clean(self, builder: Builder) -> Clean:
        """Measured once, when it is first wanted."""
        if builder.name not in self._clean:
            self._clean[builder.name] = self._measured(builder)
        return self._clean[builder.name]

    def _measured(self, builder: Builder) -> Clean:
        places = self.places
        same = {name: self.answers["edited" if builder.start == "edited" else "full"][name] for name in builder.asked}
        before, after = same, same
        if builder.changes:
            lay_out(places, builder.start, builder.without)
            before = {name: answer(self.must(self.questions[name])) for name in self._answerable(builder)}
        world = lay_out(places, builder.start, builder.without)
        there, counter = state(world), Counter()
        old = {path: path.stat().st_ino for path in world.rglob("*")}
        (done,) = gather([forked(builder.command, places, at_operation(world, counter))])
        if not answer(done) or wrong(done):
            raise AssertionError(f"{builder.name}: status {done.status}\n{done.err[-2000:]}")
        new = [path for path in world.rglob("*") if path.is_file() and old.get(path) != path.stat().st_ino]
        sizes = tuple(sorted(size for path in new if (size := path.stat().st_size)))
        left = state(world)
        if builder.changes:
            after = {name: answer(self.must(self.questions[name])) for name in builder.asked}
        return Clean(there, left, before, after, answer(done), done.seconds, counter.value, sizes)

    def _answerable(self, builder: Builder) -> tuple[str, ...]:
        """The questions that have an answer before the command was ever run."""
        missing = {"import": ("imported", "chosen"), "first use": ()}
        return tuple(name for name in builder.asked if name not in missing.get(builder.name, ()))

    def cold_seconds(self, builder: Builder) -> float:
        if builder.name not in self._cold:
            lay_out(self.places, builder.start, builder.without)
            (done,) = gather([cold(builder.command, self.places)])
            self._cold[builder.name] = done.seconds
        return self._cold[builder.name]

    @property
    def answers(self) -> dict[str, dict[str, str]]:
        """The right answers of a world in which all is as it should be, and of one whose catalogue was edited."""
        return self._asked[0]

    @property
    def readers(self) -> dict[str, frozenset[str]]:
        """Question → the files that it opens, where there is nothing to build."""
        return self._asked[1]

    @cached_property
    def _asked(self) -> tuple[dict[str, dict[str, str]], dict[str, frozenset[str]]]:
        answers, readers = {}, {}
        for start in ("edited", "full"):
            world, answers[start] = lay_out(self.places, start), dict[str, str]()
            for name, command in self.questions.items():
                noted = self.places.base / f"{start} {name}"
                answers[start][name] = answer(self.must(command, noting(world, noted)))
                readers[name] = frozenset(noted.read_text(encoding="utf-8").splitlines())
        return answers, readers

    def hold(self, trial: Trial, when: str, done: dict[str, Done], right: dict[str, set[str]], *, errors: bool) -> None:
        """Hold answers against those that are right. errors: whether a clear error is right too."""
        for name, one in done.items():
            problem = wrong(one)
            said = clear_error(one)
            if problem:
                trial.defects.append(f"{when}: {name}: {problem}")
            elif said and (errors or "" in right[name]):
                trial.errors += [f"{name}: {said}"] if errors else []
            elif not answer(one) or not right[name] & {answer(one), ANY}:
                shown = apart(answer(one), max(right[name])) if answer(one) else one.err[-300:]
                trial.defects.append(f"{when}: {name}: status {one.status}, not the clean answer: {shown}")
            trial.rebuilt |= announced(one)
