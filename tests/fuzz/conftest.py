"""Fixtures of the fuzz tests."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="package", autouse=True)
def nothing_is_waited_for() -> Iterator[None]:
    """Thousands of small files are written here, and no power cut is tried: none need be pushed to the disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield
