"""What C code writes to standard error, past Python: kept to be read, or let go. File descriptor 2 is the process's."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress

MOST = 2000
"""Bytes that are read of what was written."""


@contextmanager
def overheard() -> Iterator[list[str]]:
    """The lines that are written meanwhile, there when the block has ended; they go nowhere else."""
    lines: list[str] = []
    with tempfile.TemporaryFile() as file:
        with _led_to(file.fileno()):
            yield lines
        file.seek(0)
        lines += file.read(MOST).decode("utf-8", "replace").splitlines()


@contextmanager
def unheard() -> Iterator[None]:
    """What is written meanwhile goes nowhere."""
    with open(os.devnull, "wb") as nowhere, _led_to(nowhere.fileno()):
        yield


@contextmanager
def _led_to(descriptor: int) -> Iterator[None]:
    try:
        kept = os.dup(2)
    except OSError:  # it is closed: nothing is written anywhere
        yield
        return
    with suppress(Exception):
        sys.stderr.flush()
    try:
        os.dup2(descriptor, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
