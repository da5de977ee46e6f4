"""What is done to a forked command from within, before it begins: where it dies, what it may not, who it is."""

from __future__ import annotations

import mmap
import os
import resource
import signal
import struct
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

NOBODY = 65534
COUNTED = frozenset(
    ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.listdir", "os.scandir", "shutil.rmtree")
)
"""Python's own names (sys.addaudithook) for what a program does with files. os.fsync has none, and is counted too."""


ENDINGS: list[Callable[[], None]] = []
"""What a forked command does when it has ended."""


class Counter:
    """A number that a child counts up and its parent reads."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 8)

    def up(self) -> int:
        number = self.value + 1
        self._memory[:8] = struct.pack("q", number)
        return number

    @property
    def value(self) -> int:
        return int(struct.unpack("q", self._memory[:8])[0])


def at_operation(world: Path, counter: Counter, fatal: int = 0) -> Callable[[], None]:
    """SIGKILL just before the fatal-th operation on a file of the world; 0: they are only counted."""

    def setup() -> None:
        root, fsync = str(world), os.fsync

        def count() -> None:
            if counter.up() == fatal:
                os.kill(os.getpid(), signal.SIGKILL)

        def hook(event: str, args: tuple[Any, ...]) -> None:
            if event in COUNTED and _within(args, root):
                count()

        def counted(fd: Any) -> None:
            count()
            fsync(fd)

        os.fsync = counted
        sys.addaudithook(hook)

    return setup


def before_publishing(kind: str) -> Callable[[], None]:
    """SIGKILL when an artefact of this kind is written and not yet in its place."""

    def setup() -> None:
        def hook(event: str, args: tuple[Any, ...]) -> None:
            if event == "os.rename" and Path(args[1]).parent.name == kind and os.path.isdir(args[0]):
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hook)

    return setup


def noting(world: Path, file: Path) -> Callable[[], None]:
    """Write down which files of the world are opened, a path within it a line."""

    def setup() -> None:
        root, out = f"{world}/", os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

        def hook(event: str, args: tuple[Any, ...]) -> None:
            if event == "open" and isinstance(args[0], str | os.PathLike) and str(args[0]).startswith(root):
                os.write(out, f"{str(args[0]).removeprefix(root)}\n".encode())

        sys.addaudithook(hook)

    return setup


def importing(file: Path) -> Callable[[], None]:
    """Write down what was imported in the end, a module's name a line."""

    def setup() -> None:
        before = {*sys.modules}

        def told() -> None:
            with file.open("a", encoding="utf-8") as out:
                out.writelines(f"{name}\n" for name in sys.modules if name not in before)

        ENDINGS.append(told)

    return setup


def _within(args: Iterable[Any], root: str) -> bool:
    """Whether an operation is on a file of the world: by its path, or in a folder that is open (rmtree's way)."""
    paths = [os.fspath(arg) for arg in args if isinstance(arg, str | os.PathLike)]
    return any(str(path).startswith(root) or not os.path.isabs(path) for path in paths)


def in_a_write(size: int) -> Callable[[], None]:
    """Death in the middle of a write, at this byte of whichever file comes to be so long."""

    def setup() -> None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python turns it into an error else
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return setup


def file_limit(size: int) -> Callable[[], None]:
    """No file can be longer than this: a write beyond fails, as on a full disk."""

    def setup() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return setup


def as_nobody() -> None:
    """Give up root's rights, for which modes say nothing. Where this is not root, modes count already."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
