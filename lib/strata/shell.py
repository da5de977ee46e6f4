"""From the command line to the library and back. With flags.py, the only module that knows Typer.

Here: the options that every command takes, subcommand spellings, the one place where errors become a line
and an exit status, and the choice between JSON and text. Commands live in cli/ and draw nothing themselves.
"""

from __future__ import annotations

import inspect
import json
import sys
import typing
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from strata import settings as settings_module
from strata.errors import StrataError, UsageError

if TYPE_CHECKING:
    from strata.pipeline.workspace import Workspace
    from strata.show.text import Block

EVERYWHERE = "Everywhere"
THIS_LAYER = "This layer"


@dataclass(frozen=True)
class Common:
    """What the options of every command gave."""

    dataset: str | None = None
    cache_dir: str | None = None
    log_dir: str | None = None
    json: bool = False
    quiet: bool = False
    verbose: bool = False

    def workspace(self) -> Workspace:
        from strata.pipeline.workspace import Workspace

        settings = self.settings()
        self.detail(f"dataset {settings.dataset}; cache {settings.cache_dir}; logs {settings.log_dir}")
        return Workspace(settings, self.say, None if self.quiet else _progress)

    def settings(self) -> settings_module.Settings:
        return settings_module.load(self.dataset, self.cache_dir, self.log_dir)

    def say(self, text: str) -> None:
        """A notice on stderr; -q silences it."""
        if not self.quiet:
            print(f"note: {text}", file=sys.stderr)

    def detail(self, text: str) -> None:
        """What -v adds, on stderr."""
        if self.verbose:
            self.say(text)

    def emit(self, data: Any, blocks: Callable[[], Iterable[Block]]) -> None:
        """The result on stdout: `data` as one JSON document with --json, else what `blocks` draws."""
        if self.json:
            sys.stdout.write(json.dumps(data, ensure_ascii=False, allow_nan=False) + "\n")
            return
        from strata.show.text import write

        write(blocks(), sys.stdout)


def _progress(what: str, total: int) -> Any:
    from strata.show.progress import bar

    return bar(what, total)


def _common_parameters() -> list[inspect.Parameter]:
    def option(name: str, annotation: Any, default: Any, *flags: str, **more: Any) -> inspect.Parameter:
        info = typer.Option(*flags, rich_help_panel=EVERYWHERE, show_default=False, **more)
        return inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[annotation, info]
        )

    return [
        option(
            "dataset", str | None, None, "--dataset", metavar="NAME|PATH", help="Catalogue; default: the bundled films."
        ),
        option("json", bool, False, "--json", help="One JSON document on stdout."),
        option("quiet", bool, False, "-q", "--quiet", help="No notices, no progress."),
        option("verbose", bool, False, "-v", "--verbose", help="Explain more."),
        option("cache_dir", str | None, None, "--cache-dir", metavar="DIR", help="Where artefacts are kept."),
        option("log_dir", str | None, None, "--log-dir", metavar="DIR", help="Where run logs are written."),
    ]


def _plain_name(name: str) -> str:
    return name.replace("-", "").replace("_", "")


class Group(TyperGroup):
    """Takes hyphen, underscore and joined spellings of a subcommand: rrf-search, rrf_search, rrfsearch."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        found = super().get_command(ctx, cmd_name)
        if found is None:
            same = [name for name in self.commands if _plain_name(name) == _plain_name(cmd_name)]
            found = super().get_command(ctx, same[0]) if same else None
        return found


class Command(TyperCommand):
    """A command whose --help stands with the options that every command has."""

    def get_help_option(self, ctx: Any) -> Any:
        option = super().get_help_option(ctx)
        if option is not None:
            option.rich_help_panel = EVERYWHERE
        return option


class Program(typer.Typer):
    """One of the programs in cli/. Calling it runs the command line and ends the process.

    default: what is run when nothing is given.
    """

    default = "--help"

    def __init__(self, name: str, help: str, **more: Any) -> None:
        super().__init__(
            name=name, help=help, cls=Group, add_completion=False, pretty_exceptions_enable=False,
            rich_markup_mode="rich", **more,
        )  # fmt: skip

    def run(
        self, name: str, *, unquoted_negatives: bool = False
    ) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Add a subcommand. Its function takes `common: Common` first, then its own parameters."""
        context = {"ignore_unknown_options": True} if unquoted_negatives else {}

        def add(function: Callable[..., None]) -> Callable[..., None]:
            self.command(name, cls=Command, context_settings=context)(_with_common(function))
            return function

        return add

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        sys.exit(execute(self, sys.argv[1:]))


def _with_common(function: Callable[..., None]) -> Callable[..., None]:
    """The function with `common` replaced by the options behind it, as Typer reads signatures."""
    hints = typing.get_type_hints(function, include_extras=True)
    own = [p.replace(annotation=hints[p.name]) for p in inspect.signature(function).parameters.values()][1:]
    for parameter in own:
        for info in getattr(parameter.annotation, "__metadata__", ()):
            if isinstance(info, typer.models.OptionInfo) and info.rich_help_panel is None:
                info.rich_help_panel = THIS_LAYER
    extra = _common_parameters()
    names = {p.name for p in extra}

    @wraps(function)
    def command(**given: Any) -> None:
        common = Common(**{name: given.pop(name) for name in names})
        function(common, **given)

    del command.__wrapped__
    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own] + extra
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    return command


def execute(program: Program, args: Sequence[str]) -> int:
    """Run a command line; errors become one line on stderr. Returns the exit status."""
    as_json = "--json" in args
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a sign shows "?", never a traceback
    try:
        command = typer.main.get_command(program)
        name = program.info.name if isinstance(program.info.name, str) else None
        status = command.main(args=list(args) or [program.default], prog_name=name, standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except StrataError as error:
        return _report(error, as_json)
    except BrokenPipeError:
        sys.stdout = open(Path("/dev/null" if sys.platform != "win32" else "NUL"), "w")  # noqa: SIM115 - for exit's flush
        return 0
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else name
        return _report(UsageError(error.format_message(), f"see: {path} --help"), as_json)


def _report(error: StrataError, as_json: bool) -> int:
    if as_json:
        body = {"kind": error.kind, "message": error.message, "next_step": error.next_step}
        print(json.dumps({"error": body}, ensure_ascii=False), file=sys.stderr)
    else:
        stop = "" if error.message.endswith((".", "?", "!")) else ";" if error.next_step else ""
        print(f"error: {error.message}{stop} {error.next_step}".rstrip(), file=sys.stderr)
    return error.exit_status
