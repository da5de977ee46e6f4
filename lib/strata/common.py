"""What the options of every command gave, and what commands do with it: open a workspace, give the result."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from strata import settings as settings_module
from strata.errors import as_message
from strata.files import dumped
from strata.streams import encoding_of
from strata.telling import Progress

if TYPE_CHECKING:
    from strata.llm.opening import Choice
    from strata.pipeline.workspace import Workspace
    from strata.show.text import Block

LONGEST_NOTE = 10_000
"""Characters: with -v a note may hold a whole plan."""


@dataclass(frozen=True)
class Common:
    """What the options of every command gave. command: the program and its subcommand, as the log has it."""

    command: str = ""
    dataset: str | None = None
    cache_dir: str | None = None
    log_dir: str | None = None
    json: bool = False
    quiet: bool = False
    verbose: bool = False

    def workspace(self, choice: Choice | None = None, *, enriched: bool = False, many: bool = False) -> Workspace:
        """choice: which language model its layers may ask. enriched: thin entries are read with their premises. many:
        it is asked query after query; what costs is kept, and the same notice is given once."""
        from strata.pipeline.workspace import Workspace

        settings = self.settings()
        self.detail(f"dataset {settings.dataset}; cache {settings.cache_dir}; logs {settings.log_dir}")
        say = Once(self.say) if many else self.say
        return Workspace(settings, say, self.progress, choice, keep=many, enriched=enriched)

    @property
    def progress(self) -> Progress | None:
        """What long work shows on stderr; nothing with -q."""
        return None if self.quiet else _progress

    def settings(self) -> settings_module.Settings:
        return settings_module.load(self.dataset, self.cache_dir, self.log_dir)

    def say(self, text: str) -> None:
        """A notice on stderr; -q silences it."""
        if not self.quiet:
            print(f"note: {as_message(text, LONGEST_NOTE)}", file=sys.stderr)

    def detail(self, text: str) -> None:
        """What -v adds, on stderr."""
        if self.verbose:
            self.say(text)

    def ended(self, status: int) -> None:
        """End with this status, after the result is out."""
        import typer

        raise typer.Exit(status)

    def emit(self, data: Any, blocks: Callable[[], Iterable[Block]]) -> None:
        """The result on stdout: `data` as one JSON document with --json, else what `blocks` draws."""
        if self.json:
            sys.stdout.write(dumped(data, encoding_of(sys.stdout), allow_nan=False) + "\n")
            return
        from strata.show.text import write

        write(blocks(), sys.stdout)


class Once:
    """Says each thing once: the same notice comes with query after query."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._said: set[str] = set()

    def __call__(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._say(text)


def _progress(what: str, total: int) -> Any:
    from strata.show.progress import bar

    return bar(what, total)
