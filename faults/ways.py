"""How a file or a folder is damaged."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from faults.world import own

DEEP = 100_000
JUNK: tuple[bytes, ...] = (
    b"{", b"null", b"[]", b"7", b'"text"', b"{}", b'{"format": 1}', b"\xff\xfe\x00", b"\x00" * 4096, b"NaN", b"1e999",
    b'{"format": 1, "files": 3, "facts": {}, "facts_digest": ""}', b'{"format": 1, "files": {"a": {}}}',
    b'{"format": 1, "kind": null, "made_from": [], "facts": null, "files": null, "facts_digest": null}',
    b"[" * DEEP, b'{"a":' * DEEP, b"9" * 5000, b'{"stamp": [1, 2, 3], "checked_ns": "x", "sha256": 4}',
    b'{"versions": [{"file": 1, "corpus": []}, 3]}', b'{"versions": {"a": 1}}', b'{"dataset": {"a": ["b"]}}',
    b'{"dataset": "\\ud800"}', b'{"dataset": "no/such/file"}', b'{"dataset": ""}',
    b"\x93NUMPY\x01\x00v\x00{'descr': '|O'",
    b"\xef\xbb\xbf{}", b'{"scores": []}', b'{"sha256": {}}', b'{"format": 1e400}',
    b'{"loader": "beir", "documents": -1}',
)  # fmt: skip


def flip(file: Path, rng: random.Random) -> str:
    """One to eight bits, anywhere."""
    data = bytearray(file.read_bytes())
    places = sorted(rng.randrange(8 * len(data)) for _ in range(rng.choice((1, 1, 1, 2, 8)))) if data else []
    for place in places:
        data[place // 8] ^= 1 << place % 8
    own(file).write_bytes(bytes(data))
    return f"bits {', '.join(map(str, places))} flipped"


def flip_unseen(file: Path, rng: random.Random) -> str:
    """The same without a trace: size, times and inode are as the artefact's stamps say."""
    from strata.storage import damage

    kept = own(file).stat()
    damage(file.parent, verify=False)  # stamps the copy
    said = flip(file, rng)
    os.utime(file, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    return f"{said}, unseen"


def truncate(file: Path, rng: random.Random) -> str:
    data = file.read_bytes()
    size = rng.randrange(len(data)) if data else 0
    own(file).write_bytes(data[:size])
    return f"cut to {size} of {len(data)} bytes"


def emptied(file: Path, rng: random.Random) -> str:
    own(file).write_bytes(b"")
    return "emptied"


def missing(file: Path, rng: random.Random) -> str:
    file.unlink()
    return "removed"


def garbage(file: Path, rng: random.Random) -> str:
    junk = rng.choice((*JUNK, rng.randbytes(rng.randrange(1, 400))))
    own(file).write_bytes(junk)
    return f"overwritten with {junk[:40]!r}{'…' if len(junk) > 40 else ''}"


def longer(file: Path, rng: random.Random) -> str:
    data = file.read_bytes()
    more = rng.choice((b"\n", b" ", b"\x00", rng.randbytes(8), data))
    own(file).write_bytes(data + more)
    return f"{len(more)} bytes longer"


def zeroed(file: Path, rng: random.Random) -> str:
    """A stretch of zeros, as a disk leaves where a page never came."""
    data = bytearray(file.read_bytes())
    start = rng.randrange(len(data)) if data else 0
    end = min(len(data), start + rng.choice((1, 16, 512, 4096)))
    data[start:end] = bytes(end - start)
    own(file).write_bytes(bytes(data))
    return f"bytes {start} to {end} zero"


def folder_instead(file: Path, rng: random.Random) -> str:
    file.unlink()
    file.mkdir()
    return "a folder in its place"


def dangling(file: Path, rng: random.Random) -> str:
    file.unlink()
    file.symlink_to("nowhere")
    return "a link to nothing in its place"


def swapped(file: Path, others: Sequence[Path], rng: random.Random) -> str:
    """With another file of the kind, best one of the same name."""
    alike = [other for other in others if other.name == file.name and other != file]
    other = rng.choice(alike or [one for one in others if one != file] or [file])
    aside = file.with_name(f"{file.name}.aside")
    file.rename(aside)
    if other != file:
        other.rename(file)
    aside.rename(other)
    return f"swapped with {other.parent.name[:8]}/{other.name}"


def folder_gone(folder: Path) -> str:
    shutil.rmtree(folder)
    return "the folder is gone"


def file_instead(folder: Path) -> str:
    shutil.rmtree(folder)
    folder.write_bytes(b"")
    return "a file in the folder's place"


def folder_swapped(folder: Path, rng: random.Random) -> str:
    """Two artefacts of a kind under each other's name."""
    others = [other for other in folder.parent.iterdir() if other.is_dir() and other != folder]
    if not others:
        return folder_gone(folder)
    other, aside = rng.choice(sorted(others)), folder.with_name("aside")
    folder.rename(aside)
    other.rename(folder)
    aside.rename(other)
    return f"the folder swapped with {other.name[:8]}"


WAYS: dict[str, tuple[Callable[[Path, random.Random], str], int]] = {
    "bits flipped": (flip, 6), "cut off": (truncate, 4), "emptied": (emptied, 2), "missing": (missing, 3),
    "garbage": (garbage, 3), "longer": (longer, 1), "zeros": (zeroed, 2), "a folder instead": (folder_instead, 1),
    "a dangling link": (dangling, 1),
}  # fmt: skip
"""Of a single file, with how often each; beside these two files are swapped, a folder is gone, two are swapped."""
