"""A command's parameters as Typer reads them: its own, those of the plan it runs, those of every command."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Annotated, Any

import typer

from strata.asked import Asked
from strata.common import Common
from strata.streams import readable

EVERYWHERE = "Everywhere"
THIS_LAYER = "This layer"
CONTEXT = "typer_context"
PATHS = ("PATH", "FILE", "DIR", "FOLDER", "IMAGE")
"""What a metavar holds where a path is meant, or may be."""


def complete(
    function: Callable[..., None], plan: str, options: Sequence[str], always: Sequence[str] | None
) -> Callable[..., None]:
    """The function with `common` and `asked` replaced by the options behind them, as Typer reads signatures."""
    hints = typing.get_type_hints(function, include_extras=True)
    own = [p.replace(annotation=hints[p.name]) for p in inspect.signature(function).parameters.values()]
    own = own[2 if plan else 1 :]
    asked_for = _of_plan(options, always) if plan else []
    for parameter in [*own, *asked_for]:
        for info in getattr(parameter.annotation, "__metadata__", ()):
            if isinstance(info, typer.models.OptionInfo) and info.rich_help_panel is None:
                info.rich_help_panel = THIS_LAYER
    extra = _of_everything()
    names = {p.name for p in extra}
    texts = {p.name for p in [*own, *asked_for] if not _names_a_path(p)}

    @wraps(function)
    def command(**given: Any) -> None:
        context = given.pop(CONTEXT)
        given |= {name: _readable(given[name]) for name in texts}
        common = Common(context.command_path, **{name: given.pop(name) for name in names})
        if plan:
            values = {p.name: given.pop(p.name) for p in asked_for}
            every = (*values, *given)
            typed = {name for name in every if context.get_parameter_source(name).name == "COMMANDLINE"}
            function(common, Asked(plan, values, frozenset(typed)), **given)
        else:
            function(common, **given)

    del command.__wrapped__
    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in [*own, *asked_for]] + extra
    # Typer hands the context to whatever parameter has its type.
    parameters.append(inspect.Parameter(CONTEXT, inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context))
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    return command


def _names_a_path(parameter: inspect.Parameter) -> bool:
    """A path is opened by the very bytes that were typed, whether they are a text or not."""
    found = [str(getattr(info, "metavar", None)) for info in getattr(parameter.annotation, "__metadata__", ())]
    return any(word in metavar for metavar in found for word in PATHS)


def _readable(value: Any) -> Any:
    if isinstance(value, list):
        return [_readable(one) for one in value]
    return readable(value) if isinstance(value, str) else value


def _of_plan(options: Sequence[str], always: Sequence[str] | None) -> list[inspect.Parameter]:
    """The plan options of a command, in the order of flags.OPTIONS. always: None for those of every search."""
    from strata.flags import EVERY_SEARCH, OPTIONS

    options = (*options, *(EVERY_SEARCH if always is None else always))
    unknown = set(options) - set(OPTIONS)
    assert not unknown, unknown
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in OPTIONS.items()
        if name in options
    ]


def _of_everything() -> list[inspect.Parameter]:
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
