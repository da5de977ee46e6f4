"""Artefacts: whole or absent, checked when opened, built once, mended when damaged."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strata.errors import ArtefactError
from strata.files import fingerprint, trusted_digest, write_atomically
from strata.storage import Artefact, artefact_folder, damage, ensure, open_artefact

MADE_FROM = {"corpus": "x"}


def fill(folder: Path) -> dict[str, Any]:
    np.save(folder / "numbers.npy", np.arange(100))
    (folder / "words.txt").write_text("bear fox", encoding="utf-8")
    return {"count": 100}


def built(cache: Path, notes: list[str] | None = None) -> Path:
    return ensure(cache, "kind", MADE_FROM, fill, (notes if notes is not None else []).append).path


def test_an_artefact_is_built_once_then_opened(tmp_path: Path) -> None:
    first = ensure(tmp_path, "kind", MADE_FROM, fill, print)
    again = ensure(tmp_path, "kind", MADE_FROM, lambda _: pytest.fail("built twice"), print)
    assert (first.fresh, again.fresh) == (True, False)
    assert again.facts == {"count": 100}
    assert again.array("numbers").tolist() == list(range(100))
    assert not list(tmp_path.rglob("*.tmp"))


def test_other_makings_never_share_an_artefact(tmp_path: Path) -> None:
    assert artefact_folder(tmp_path, "kind", {"a": 1}) != artefact_folder(tmp_path, "kind", {"a": 2})
    assert artefact_folder(tmp_path, "kind", {"a": 1}) != artefact_folder(tmp_path, "other", {"a": 1})


def flip(file: Path, at: int) -> None:
    data = bytearray(file.read_bytes())
    data[at] ^= 0xFF
    file.write_bytes(bytes(data))


@pytest.mark.parametrize(
    "harm",
    [
        lambda f: (f / "numbers.npy").write_bytes((f / "numbers.npy").read_bytes()[:-1]),
        lambda f: flip(f / "numbers.npy", -1),
        lambda f: flip(f / "words.txt", 0),
        lambda f: (f / "words.txt").unlink(),
        lambda f: (f / "manifest.json").write_text("{", encoding="utf-8"),
        lambda f: (f / "manifest.json").write_text("[]", encoding="utf-8"),
        lambda f: (f / "manifest.json").unlink(),
        lambda f: (f / "manifest.json").write_text(
            (f / "manifest.json").read_text(encoding="utf-8").replace('"count": 100', '"count": 101'), encoding="utf-8"
        ),
        lambda f: (f / "manifest.json").write_text(
            (f / "manifest.json").read_text(encoding="utf-8").replace('"format": 1', '"format": 0'), encoding="utf-8"
        ),
        lambda f: (f / "manifest.json").write_text(
            (f / "manifest.json").read_text(encoding="utf-8").replace('"corpus": "x"', '"corpus": "y"'),
            encoding="utf-8",
        ),
        lambda f: (f / "manifest.json").write_text("[" * 100_000, encoding="utf-8"),
    ],
)
def test_a_damaged_artefact_is_a_miss_that_is_announced_and_mended(tmp_path: Path, harm: Any) -> None:
    folder = built(tmp_path)
    harm(folder)
    notes: list[str] = []
    assert built(tmp_path, notes) == folder
    assert len(notes) == 1 and "built again" in notes[0]
    assert damage(folder, verify=True) == ""


def test_an_altered_byte_behind_an_unchanged_stamp_is_found_when_asked(tmp_path: Path) -> None:
    folder = built(tmp_path)
    file = folder / "words.txt"
    before = file.stat()
    with file.open("r+b") as handle:
        handle.write(b"B")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert damage(folder, verify=False) == ""
    assert "altered content in words.txt" in damage(folder, verify=True)
    notes: list[str] = []
    assert built(tmp_path, notes) == folder and "built again" in notes[0], "once it was found, nobody uses it"
    assert (folder / "words.txt").read_bytes() == b"bear fox"


def test_two_artefacts_under_each_others_names_are_told_apart(tmp_path: Path) -> None:
    """As a folder copied back to the wrong place: each is sound, and none is what it is called."""

    def numbered(number: int) -> Callable[[Path], dict[str, Any]]:
        def write(folder: Path) -> dict[str, Any]:
            np.save(folder / "numbers.npy", np.full(3, number))
            return {}

        return write

    def opened(number: int, notes: list[str]) -> Artefact:
        return ensure(tmp_path, "kind", {"corpus": number}, numbered(number), notes.append)

    one, two = (opened(number, []).path for number in (1, 2))
    one.rename(tmp_path / "aside")
    two.rename(one)
    (tmp_path / "aside").rename(two)
    assert "another than its name says" in damage(one, verify=True)
    for number in (1, 2):
        notes: list[str] = []
        assert opened(number, notes).array("numbers").tolist() == [number] * 3
        assert "built again" in notes[0]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limit on the size of a file")
@pytest.mark.parametrize("length", [20, 500, 3000, 90_000])
def test_an_array_cut_short_by_a_full_disk_is_never_published(tmp_path: Path, length: int) -> None:
    """NumPy takes no notice where the last few kB of an array do not fit: it was sealed so, too short for ever."""
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (128 + length // 2, limits[1]))
    try:
        with pytest.raises(ArtefactError, match="cannot be written"):
            ensure(tmp_path, "kind", MADE_FROM, lambda f: np.save(f / "a.npy", np.ones(length, np.int8)) or {}, print)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not [path for path in (tmp_path / "kind").iterdir() if path.is_dir()]


def test_a_folder_that_nobody_may_look_into_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built(tmp_path)

    def shut(path: Path, **_: Any) -> os.stat_result:
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "stat", shut)
        with pytest.raises(ArtefactError, match=r"cannot be read \(Permission denied\)"):
            open_artefact(tmp_path, "kind", MADE_FROM, print)
    assert open_artefact(tmp_path, "kind", MADE_FROM, print) is not None


def test_a_damaged_stamp_costs_a_check_and_nothing_else(tmp_path: Path) -> None:
    folder = built(tmp_path)
    for nonsense in ("nonsense", "[]", '{"a":' * 100_000):
        (folder / "stamps.json").write_text(nonsense, encoding="utf-8")
        notes: list[str] = []
        assert open_artefact(tmp_path, "kind", MADE_FROM, notes.append) is not None
        assert notes == []


def test_a_failed_build_leaves_nothing_behind(tmp_path: Path) -> None:
    def fails(folder: Path) -> dict[str, Any]:
        (folder / "half.npy").write_bytes(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ensure(tmp_path, "kind", MADE_FROM, fails, print)
    assert [path.name for path in (tmp_path / "kind").iterdir() if path.is_dir()] == []
    assert built(tmp_path).is_dir()


def test_what_a_killed_builder_left_is_swept(tmp_path: Path) -> None:
    folder = artefact_folder(tmp_path, "kind", MADE_FROM)
    left = folder.with_name(f"{folder.name}.deadbeef.tmp")
    left.mkdir(parents=True)
    (left / "half.npy").write_bytes(b"half")
    built(tmp_path)
    assert not left.exists()


def test_two_builders_at_once_build_once(tmp_path: Path) -> None:
    """cases.md 43 (threads here; processes in test_faults)."""
    builds = []

    def slow(folder: Path) -> dict[str, Any]:
        builds.append(1)
        return fill(folder)

    threads = [threading.Thread(target=lambda: ensure(tmp_path, "kind", MADE_FROM, slow, print)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(builds) == 1


def test_nothing_pickled_is_ever_read(tmp_path: Path) -> None:
    folder = built(tmp_path)
    np.save(folder / "numbers.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    with pytest.raises(ValueError, match="pickle"):
        Artefact(folder, manifest["facts"]).array("numbers")


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "log.json"
    write_atomically(file, b"before")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ArtefactError, match="No space left"):
        write_atomically(file, b"after", durable=True)
    assert file.read_bytes() == b"before"
    assert [path.name for path in tmp_path.iterdir()] == ["log.json"]


def test_a_digest_is_trusted_by_stamp_and_renewed_when_the_file_changes(tmp_path: Path) -> None:
    file = tmp_path / "weights"
    file.write_bytes(b"one")
    os.utime(file, ns=(0, 0))
    first = trusted_digest(file, tmp_path / "cache")
    assert trusted_digest(file, tmp_path / "cache") == first
    file.write_bytes(b"two")
    assert trusted_digest(file, tmp_path / "cache") != first


@pytest.mark.parametrize("harm", [
    lambda text, digest: text.replace(digest, digest[:-1] + ("1" if digest[-1] == "0" else "0")),
    lambda text, _: "[" * 100_000,
    lambda text, _: text[: len(text) // 2],
    lambda text, _: '{"stamp": 1}',
])  # fmt: skip
def test_a_remembered_digest_that_went_bad_accuses_nobody(tmp_path: Path, harm: Callable[[str, str], str]) -> None:
    file = tmp_path / "weights"
    file.write_bytes(b"one")
    os.utime(file, ns=(0, 0))
    digest = trusted_digest(file, tmp_path / "cache")
    (memory,) = (tmp_path / "cache" / "stamps").iterdir()
    memory.write_text(harm(memory.read_text(encoding="utf-8"), digest), encoding="utf-8")
    assert trusted_digest(file, tmp_path / "cache") == digest


def test_a_file_changed_just_before_it_was_stamped_is_not_trusted(tmp_path: Path) -> None:
    """As git does: a second change within the clock's step could leave size and time as they were."""
    file = tmp_path / "weights"
    file.write_bytes(b"one")
    stamp = file.stat()
    first = trusted_digest(file, tmp_path / "cache")
    file.write_bytes(b"two")
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert trusted_digest(file, tmp_path / "cache") != first


def test_a_fingerprint_does_not_depend_on_the_order_of_keys() -> None:
    assert fingerprint({"a": 1, "b": [2]}) == fingerprint({"b": [2], "a": 1})
