"""Single files: written whole, digested, stamped, locked.

A stamp (size, modification time, inode) says that a file was not touched since its digest was taken, so
that weights and catalogues are not read again for every command.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import shutil
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from strata.errors import ArtefactError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np


def fingerprint(made_from: Any) -> str:
    """The first 32 hex digits of the SHA-256 of a JSON value written with sorted keys."""
    text = json.dumps(made_from, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]  # a path need not be UTF-8


def dumped(value: Any, encoding: str = "utf-8", **how: Any) -> str:
    """A value as JSON that people can read; in escapes where it holds a letter that the encoding cannot write, as a
    path that is no UTF-8 does. how: as json.dumps has it."""
    text = json.dumps(value, ensure_ascii=False, **how)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return json.dumps(value, **how)
    return text


def parsed(data: bytes) -> Any:
    """The value of a JSON file of ours. ValueError for what is none, and for thousands of nested brackets."""
    collecting = gc.isenabled()
    gc.disable()  # or somebody's finalizer may run where the stack is used up, and say so on stderr
    try:
        return json.loads(data)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    finally:
        if collecting:
            gc.enable()


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def stamp_of(path: Path) -> list[int]:
    """What says that a file was not touched: its size, modification time in nanoseconds and inode."""
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns, stat.st_ino]


def is_folder(path: Path) -> bool:
    """Whether a folder is there. ArtefactError where nobody lets us look."""
    try:
        return S_ISDIR(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise ArtefactError(f"{path} cannot be read ({error.strerror})", "check its permissions") from error


def mapped(file: Path) -> np.ndarray:
    """The array of a .npy file, memory-mapped, as a plain read-only ndarray (indexing a np.memmap is slower).

    ValueError for a file that is no array, or not a whole one.
    """
    import numpy as np

    try:
        try:
            return np.asarray(np.load(file, mmap_mode="r", allow_pickle=False))
        except ValueError:  # an empty array cannot be mapped
            return np.asarray(np.load(file, allow_pickle=False))
    except (OSError, ValueError):
        raise
    except Exception as error:  # NumPy has Python's own parser read the header, and passes on whatever that raises
        raise ValueError(f"{file.name} is no array ({type(error).__name__})") from error


def sealed(file: Path) -> dict[str, Any]:
    """Push a file to the disk; what a manifest says of it. OSError for an array that is not whole: where the disk fills
    up within the last few kB, NumPy does not notice."""
    if file.suffix == ".npy":
        try:
            mapped(file)
        except (ValueError, EOFError) as error:
            raise OSError(f"not all of {file.name} was written: the disk is full") from error
    fsync(file)
    return {"bytes": file.stat().st_size, "sha256": file_digest(file)}


def write_atomically(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Write a file so that a reader sees all of it or the one before; parents are made.

    durable: it is on the disk when this returns. Without it, a power cut (not a kill) may lose the new file, which is
    good enough for a stamp or a log and spares a search the wait.
    """
    temporary = path.with_name(f".{path.name}.{uuid4().hex[:8]}.tmp")
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            temporary.replace(path)
            if durable:
                fsync(path.parent)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """An OSError while writing becomes one line that names the place and the way out."""
    try:
        yield
    except OSError as error:
        raise ArtefactError(
            f"{path} cannot be written ({error.strerror or error})",
            "free some space or permissions, or name another folder with --cache-dir",
        ) from error


@contextmanager
def locked(path: Path, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold a lock file; a second process waits, after calling waiting(). It is released when its holder dies."""
    import filelock

    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(path)
        try:
            lock.acquire(blocking=False)
        except filelock.Timeout:
            waiting()
            lock.acquire()
    try:
        yield
    finally:
        lock.release()


def put_in_place(temporary: Path, folder: Path) -> None:
    """Rename a finished folder, whose files are on the disk, to its place. A former one is moved aside first, then
    removed: nothing is half there."""
    fsync(temporary)
    if folder.exists():
        former = temporary.with_name(f"{temporary.name.removesuffix('.tmp')}.former.tmp")
        folder.rename(former)
        temporary.rename(folder)
        shutil.rmtree(former, ignore_errors=True)
    else:
        temporary.rename(folder)
    fsync(folder.parent)


def fsync(path: Path) -> None:
    if os.name == "nt" and path.is_dir():
        return  # Windows cannot open a folder for this
    handle = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)  # Windows flushes only what it may write
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def trusted_digest(path: Path, cache: Path, *, verify: bool = False) -> str:
    """SHA-256 of a large file outside the cache (weights, a catalogue), remembered by its stamp.

    As git does, a file changed within the last two seconds before it was stamped is not trusted next time (FAT counts
    in twos): a second change could have left size and time as they were.
    """
    memory = cache / "stamps" / f"{fingerprint(str(path.resolve()))}.json"
    stamp = stamp_of(path)
    if not verify:
        try:
            known = parsed(memory.read_bytes())
            fits = known["stamp"] == stamp and known["seal"] == fingerprint([stamp, known["sha256"]])
            if fits and known["checked_ns"] - stamp[1] > 2_000_000_000:
                return str(known["sha256"])
        except (OSError, ValueError, KeyError, TypeError):
            pass
    digest = file_digest(path)
    seal = fingerprint([stamp, digest])  # a digest that went bad on the disk would accuse good weights, for ever
    record = {"path": str(path), "stamp": stamp, "sha256": digest, "checked_ns": time.time_ns(), "seal": seal}
    with suppress(ArtefactError):  # a read-only cache: the digest is computed again next time
        write_atomically(memory, json.dumps(record).encode())
    return digest
