"""Pillow kept quiet and within bounds while it opens one picture.

It warns through `warnings`, logs, and libtiff beneath it writes to file descriptor 2, past Python. Its own limit of
pixels is a variable of its module. All of that is the process's, so one picture is opened at a time, and everything is
as it was afterwards.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_ONE_AT_A_TIME = threading.Lock()


@contextmanager
def quiet(most_pixels: int) -> Iterator[None]:
    """No warning and no log line of Pillow's gets out. It refuses a picture that declares more than `most_pixels`
    (DecompressionBombError), before it makes room for them."""
    from PIL import Image

    silent = logging.NullHandler()  # where there is no other handler, Python's last resort would print
    with _ONE_AT_A_TIME, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.getLogger("PIL").addHandler(silent)
        before, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, most_pixels // 2  # it warns there, and raises at twice
        try:
            yield
        finally:
            Image.MAX_IMAGE_PIXELS = before
            logging.getLogger("PIL").removeHandler(silent)


@contextmanager
def overheard() -> Iterator[list[str]]:
    """Lines that C code writes to stderr meanwhile, there when the block has ended; they go nowhere else."""
    lines: list[str] = []
    try:
        kept = os.dup(2)
    except OSError:  # closed: nothing is written anywhere
        yield lines
        return
    with suppress(Exception):
        sys.stderr.flush()
    try:
        with tempfile.TemporaryFile() as file:
            os.dup2(file.fileno(), 2)
            try:
                yield lines
            finally:
                os.dup2(kept, 2)
                file.seek(0)
                lines += file.read(2000).decode("utf-8", "replace").splitlines()
    finally:
        os.close(kept)
