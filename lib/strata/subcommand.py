"""Where a subcommand stands on a command line: options may come before it, and it may be left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

HELP = ("--help", "-h")


def arranged(group: Any, args: Sequence[str], implied: str) -> list[str]:
    """The arguments with the subcommand first; `implied` where none is named. group: the program as Typer's command.

    What follows an option that takes a value is that value. The first other word is the subcommand, right or wrong.
    """
    takes_value = _takes_value(group)
    place = 0
    while place < len(args):
        word = args[place]
        if word in HELP or word == "--":
            break
        if not word.startswith("-") or word == "-":
            return [word, *args[:place], *args[place + 1 :]]
        place += 2 if word in takes_value else 1
    return list(args) if args[:1] and args[0] in HELP else [implied, *args]


def _takes_value(group: Any) -> set[str]:
    """The spellings of all options, of any subcommand, that are followed by a value."""
    return {
        spelling
        for command in group.commands.values()
        for parameter in command.params
        if parameter.param_type_name == "option" and not parameter.is_flag and not parameter.count
        for spelling in (*parameter.opts, *parameter.secondary_opts)
    }
