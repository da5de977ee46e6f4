"""Plans in TOML files: the presets that come with the program, and a user's own (--config).

A file holds one plan at its top level, or several as tables, of which a command takes the one it is called by
([rrf] for rrf-search), as the presets do.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from strata import paths, registry
from strata.core.types import Plan
from strata.errors import DataError, UsageError
from strata.pipeline.plan import from_dict, to_dict

LARGEST = 1_000_000


def preset(name: str, plan: str) -> Plan:
    """A plan of a bundled preset, e.g. preset("lessons", "rrf")."""
    if name not in registry.PRESETS:
        raise UsageError(f'no preset is called "{name}"', f"one of: {registry.names(registry.PRESETS)}")
    return read(paths.PACKAGE / "pipeline" / "presets" / f"{name}.toml", plan)


def read(file: Path, plan: str) -> Plan:
    """The plan of a file, for the command whose plan is called `plan`. DataError for what cannot be used."""
    data = _tables(file)
    if plan in data and "retrieve" not in data:
        return from_dict(data[plan], f"{file} [{plan}]")
    if "retrieve" not in data and any(isinstance(value, dict) and "retrieve" in value for value in data.values()):
        raise DataError(f"{file} holds no plan called {plan}", f"it holds: {', '.join(data)}")
    return from_dict(data, str(file))


def _tables(file: Path) -> Mapping[str, Any]:
    try:
        with file.open("rb") as stream:
            content = stream.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise DataError(f"{file} is too large for a plan", "name a TOML file as --show-plan writes it")
        return tomllib.loads(content.decode("utf-8-sig"))
    except OSError as error:
        raise DataError(f"{file} cannot be read ({error.strerror})", "see what --show-plan prints") from error
    except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, a number of thousands of digits
        raise DataError(f"{file} is no TOML file ({error})", "see what --show-plan prints") from error


def to_toml(plan: Plan) -> str:
    """The plan as a file holds it; `read` gives it back equal."""
    import tomli_w

    return tomli_w.dumps(_ordered(to_dict(plan)))


def _ordered(data: dict[str, Any]) -> dict[str, Any]:
    """Plain values first: in TOML what follows a table belongs to it."""
    return dict(sorted(data.items(), key=lambda pair: isinstance(pair[1], dict | list)))
