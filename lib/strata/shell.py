"""From the command line to the library and back. With flags.py and signature.py, the only module that knows Typer.

Here: subcommand spellings, and the one place where errors become a line and an exit status. What a command's options
gave is in common.py and asked.py. Commands live in cli/ and draw nothing themselves.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from strata import streams
from strata.asked import Asked
from strata.common import Common
from strata.errors import ArtefactError, StrataError, UsageError
from strata.files import dumped
from strata.signature import EVERYWHERE, complete
from strata.subcommand import arranged

__all__ = ["Asked", "Common", "Program", "execute"]


MADE = 50_000
"""Objects that are made before Python looks for cycles among them; its own number is 700 or 2,000."""


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

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Logs and messages have a subcommand's own name, however it was spelt."""
        _, command, rest = super().resolve_command(ctx, args)
        return command.name if command else None, command, rest


class Command(TyperCommand):
    """A command whose --help stands with the options that every command has."""

    def get_help_option(self, ctx: Any) -> Any:
        option = super().get_help_option(ctx)
        if option is not None:
            option.rich_help_panel = EVERYWHERE
        return option


class Program(typer.Typer):
    """One of the programs in cli/. Calling it runs the command line and ends the process.

    default: what is run when nothing is given. implied: the subcommand that is meant where none is named; then options
    may also stand before a subcommand.
    """

    default = "--help"
    implied = ""

    def __init__(self, name: str, help: str, **more: Any) -> None:
        super().__init__(
            name=name, help=help, cls=Group, add_completion=False, pretty_exceptions_enable=False,
            rich_markup_mode="rich", **more,
        )  # fmt: skip

    def run(
        self,
        name: str,
        *,
        unquoted_negatives: bool = False,
        plan: str = "",
        options: Sequence[str] = (),
        always: Sequence[str] | None = None,
    ) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Add a subcommand. Its function takes `common: Common` first, then its own parameters.

        plan: the name of the plan it runs; then `asked: Asked` comes second, and the command has those of
        flags.OPTIONS that `options` names, and those of every search (or what `always` says).
        """
        context = {"ignore_unknown_options": True} if unquoted_negatives else {}

        def add(function: Callable[..., None]) -> Callable[..., None]:
            self.command(name, cls=Command, context_settings=context)(complete(function, plan, options, always))
            return function

        return add

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # A command makes some 100,000 objects before it does anything, and lets go of nearly none: looking through them
        # again and again, and once more at the end, is a tenth of a short command's time.
        gc.set_threshold(MADE, *gc.get_threshold()[1:])
        status = execute(self, sys.argv[1:])
        gc.freeze()
        sys.exit(status)


def execute(program: Program, args: Sequence[str]) -> int:
    """Run a command line; errors become one line on stderr. Returns the exit status."""
    as_json = "--json" in args
    streams.prepare()
    try:
        command = typer.main.get_command(program)
        name = program.info.name if isinstance(program.info.name, str) else None
        given = arranged(command, args, program.implied) if program.implied else list(args)
        status = command.main(args=given or [program.default], prog_name=name, standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except StrataError as error:
        return _report(error, as_json)
    except SystemExit:
        return 0  # Typer's answer to a reader that went away (| head); nothing else leaves it this way
    except BrokenPipeError:
        streams.let_go("stdout")
        return 0
    except OSError as error:
        if error.filename is not None or error.errno not in streams.FULL:
            raise
        streams.let_go("stdout")
        return _report(ArtefactError(f"the output cannot be written ({error.strerror})", "send it elsewhere"), as_json)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else name
        return _report(UsageError(error.format_message(), f"see: {path} --help"), as_json)


def _report(error: StrataError, as_json: bool) -> int:
    if as_json:
        body = {"kind": error.kind, "message": error.message, "next_step": error.next_step}
        text = dumped({"error": body}, streams.encoding_of(sys.stderr))
    else:
        stop = "" if error.message.endswith((".", "?", "!")) else ";" if error.next_step else ""
        text = f"error: {error.message}{stop} {error.next_step}".rstrip()
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:  # nobody can be told; the exit status says it
        streams.let_go("stderr")
    return error.exit_status
