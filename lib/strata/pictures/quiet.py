"""Pillow kept quiet and within bounds while it opens one picture.

It warns through `warnings` and logs, and its own limit of pixels is a variable of its module. All of that is the
process's, so one picture is opened at a time, and everything is as it was afterwards. (What libtiff beneath it writes
past Python, strata/quiet.py hears.)
"""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

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
