"""Runs a command in this process and notes where its time goes; whole_parts.py starts it.

    python benchmarks/parts_inside.py FILE PROGRAM [ARGUMENT …]

Time belongs to the innermost part that is running, so the parts add up. Parts are the import of each package and a few
functions of Strata, wrapped as soon as their module is there. FILE receives {part: seconds} and, as "begun" and
"ended", the times of day. Only sys and time are imported beforehand, so that the command pays for all else.
"""

import sys
import time

BEGUN = time.time()
import builtins  # noqa: E402

WRAPPED = {
    "strata.pipeline.workspace": (
        ("Workspace.corpus", "opening"), ("Workspace.index", "opening"), ("Workspace._open_encoder", "opening"),
        ("Workspace._open_vectors", "opening"),
    ),
    "strata.encoders.tokens": (("Tokens.tokenizer", "opening"),),
    "strata.encoders.memo": (("Remembering.encode", "encoding"),),
    "strata.searching": (("run", "ranking"), ("log", "writing the log")),
    "strata.show.text": (("write", "drawing"),),
}  # fmt: skip
REST = "command line"
spent: dict[str, float] = {}
running: list[str] = [REST]
since = time.perf_counter()


def switch(part: str | None) -> None:
    """Book the time up to now; then a part begins, or the innermost one ends (None)."""
    global since
    now = time.perf_counter()
    spent[running[-1]] = spent.get(running[-1], 0.0) + now - since
    if part is None:
        running.pop()
    else:
        running.append(part)
    since = now


def timed(function, part):
    def wrapper(*args, **kwargs):
        switch(part)
        try:
            return function(*args, **kwargs)
        finally:
            switch(None)

    return wrapper


def wrap(module: str) -> None:
    for path, part in WRAPPED.pop(module):
        owner = sys.modules[module]
        *outer, name = path.split(".")
        for one in outer:
            owner = getattr(owner, one)
        found = vars(owner)[name]
        if hasattr(found, "func"):  # a cached_property
            found.func = timed(found.func, part)
        else:
            setattr(owner, name, timed(found, part))


def importing(real):
    def wrapper(name, *args, **kwargs):
        relative = args[3] if len(args) > 3 else kwargs.get("level", 0)
        switch(f"import {(args[0]['__package__'] if relative else name).partition('.')[0]}")
        try:
            return real(name, *args, **kwargs)
        finally:
            switch(None)
            for module in [one for one in WRAPPED if ready(one)]:
                wrap(module)

    return wrapper


def ready(module: str) -> bool:
    found = sys.modules.get(module)
    return found is not None and not getattr(found.__spec__, "_initializing", False)


def main() -> None:
    file, program, *args = sys.argv[1:]
    builtins.__import__ = importing(builtins.__import__)
    import importlib

    importlib.import_module = importing(importlib.import_module)
    module = importlib.import_module(program)
    sys.argv = [program, *args]
    status = 0
    try:
        module.app()
    except SystemExit as error:
        status = error.code
    finally:
        switch(REST)
        left = [name for name in WRAPPED if name in sys.modules]
        ended = time.time()
        import json

        with open(file, "w", encoding="utf-8") as out:
            json.dump({"begun": BEGUN, "ended": ended, "unwrapped": left, "spent": spent}, out)
    sys.exit(status)


if __name__ == "__main__":
    main()
