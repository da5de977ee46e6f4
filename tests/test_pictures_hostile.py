"""Files that are no picture, or a broken or hostile one: each ends in one line, soon, and with little memory."""

from __future__ import annotations

import json
import logging
import os
import socket
import stat
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from strata.errors import DataError, StrataError, UsageError
from strata.pictures.open import open_picture
from strata.pictures.place import MOST_BYTES
from tests.conftest import ROOT
from tests.odd_pictures import (
    LONG,
    SHORT,
    bmp,
    chunk,
    declaring,
    exif,
    grey_tiff,
    noise,
    planted_jpeg,
    png,
    png_of,
    samples_tiff,
    saved,
    scene,
    segment,
    tiff,
    with_segments,
)

RGB = noise(60, 40)
HEIC = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(400)
DRAWN = b'<?xml version="1.0" encoding="UTF-8"?>\n<!-- drawn -->\n<svg xmlns="http://www.w3.org/2000/svg"/>'


def swapped(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


def webp_of(width: int, height: int) -> bytes:
    """A WebP whose canvas is of another size than its picture."""
    small = saved(RGB, "WEBP", lossless=True)[12:]
    canvas = (
        b"VP8X" + struct.pack("<II", 10, 0) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    )
    return b"RIFF" + struct.pack("<I", 4 + len(canvas) + len(small)) + b"WEBP" + canvas + small


def scans(count: int, between: bytes = b"") -> bytes:
    """A progressive JPEG whose last scan comes again and again."""
    data = saved(scene(64, 64), "JPEG", progressive=True)
    last = data.rindex(b"\xff\xda")
    return data[:-2] + (between + data[last:-2]) * count + b"\xff\xd9"


def gif_of(width: int, height: int, dispose: int = 2) -> bytes:
    """Its first frame is larger than its screen, and asks for a copy of that."""
    control = b"!\xf9\x04" + bytes([dispose << 2]) + b"\0\0\0\0"
    return b"GIF89a\1\0\1\0\0\0\0" + control + b"," + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\2\2\x44\1\0;"


def strips(count: int) -> bytes:
    """Alternating offsets, so that no strip is like the one before."""
    offsets = [7 + at % 2 for at in range(count)]
    return tiff(
        {
            256: (LONG, [1]), 257: (LONG, [count]), 258: (SHORT, [8]), 259: (SHORT, [1]), 262: (SHORT, [1]),
            273: (SHORT, offsets), 277: (SHORT, [1]), 278: (LONG, [1]),
        }
    )  # fmt: skip


def endless() -> bytes:
    """A TIFF whose only directory says that it is followed by itself."""
    tags: dict[int, tuple[int, list[int]]] = {
        256: (LONG, [60]), 257: (LONG, [40]), 258: (SHORT, [8] * 3), 259: (SHORT, [1]), 262: (SHORT, [2]),
        273: (LONG, [-1]), 277: (SHORT, [3]), 278: (LONG, [40]), 279: (LONG, [7200]),
    }  # fmt: skip
    return tiff(tags, RGB.tobytes(), following=8)


def tiles(side: int) -> bytes:
    body = zlib.compress(bytes(8 << 20))
    return tiff(
        {
            256: (LONG, [16]), 257: (LONG, [16]), 258: (SHORT, [8]), 259: (SHORT, [8]), 262: (SHORT, [1]),
            277: (SHORT, [1]), 322: (LONG, [side]), 323: (LONG, [side]), 324: (LONG, [-1]), 325: (LONG, [len(body)]),
        },
        body,
    )  # fmt: skip


def within(values: int) -> bytes:
    """A TIFF whose EXIF directory, which Pillow unpacks whole, claims many values."""
    inner = struct.pack("<HHHII", 1, 37500, SHORT, values, 8) + bytes(4)
    whole = samples_tiff(RGB, 2, t34665=(LONG, [0xABCDEF]))
    return whole.replace(struct.pack("<I", 0xABCDEF), struct.pack("<I", len(whole))) + inner


DAMAGED, AGAIN = "damaged", "copy or fetch it again"
BAD: dict[str, tuple[str, bytes, str, str]] = {
    # name: the file's name, its bytes, what the message must say, what the next step must say
    "empty": ("a.png", b"", "is empty (0 bytes)", "copy or fetch the picture again"),
    "text": ("a.jpg", b"this is no picture", "is text, not a picture", "the picture's own file"),
    "text-utf-8": ("a.jpg", "žluťoučký kůň".encode(), "is text, not a picture", "the picture's own file"),
    "text-utf-16": ("a.jpg", "Notizen".encode("utf-16"), "is text, not a picture", "the picture's own file"),
    "text-bm": ("a.bmp", b"BMW is a maker of cars and motorcycles", "is text, not a picture", "own file"),
    "json": ("a.png", b'{"error": "not found"}', "is text, not a picture", "the picture's own file"),
    "html": ("a.png", b"\n<!DOCTYPE html><html><title>404</title>", "is a web page", "not the page that shows it"),
    "svg": ("a.svg", b'<svg xmlns="http://www.w3.org/2000/svg"></svg>', "is an SVG: drawn", "export it as PNG"),
    "svg-xml": ("a.png", DRAWN, "is an SVG: drawn", "export it as PNG"),
    "data-url": ("a.png", b"data:image/png;base64,iVBORw0KGgo=", "written out as text", "decode it into a file"),
    "lfs": ("a.png", b"version https://git-lfs.github.com/spec/v1\noid", "Git LFS pointer", "git lfs pull"),
    "heic": ("IMG_0001.HEIC", HEIC, "is a HEIC picture", "save it as JPEG or PNG"),
    "heic-jpg": ("IMG_0001.jpg", HEIC, "is a HEIC picture", "save it as JPEG or PNG"),
    "avif": ("a.avif", b"\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf" + bytes(99), "is an AVIF picture", "save it as JPEG"),
    "video": ("a.mp4", b"\0\0\0\x18ftypisom\0\0\2\0isommp42" + bytes(99), "is a video", "save one frame of it"),
    "webm": ("a.webm", b"\x1a\x45\xdf\xa3" + bytes(99), "is a video", "save one frame of it"),
    "pdf": ("a.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "is a PDF document", "save the page as PNG"),
    "pdf-jpg": ("a.jpg", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "is a PDF document", "save the page as PNG"),
    "zip": ("a.jpg", b"PK\x03\x04" + bytes(99), "is a ZIP archive", "take the picture out of it"),
    "gzip": ("a.svgz", b"\x1f\x8b\x08" + bytes(99), "is compressed with gzip", "unpack it"),
    "psd": ("a.psd", b"8BPS\0\1" + bytes(99), "is a Photoshop file", "save it as JPEG or PNG"),
    "icon": ("a.ico", b"\0\0\1\0\1\0" + bytes(99), "is an icon (ICO)", "save it as JPEG or PNG"),
    "random": ("a.png", noise(30, 30, seed=9).tobytes(), "is in no form that is known", "save it as PNG"),
    "zeros": ("a.png", bytes(5000), "is in no form that is known", "save it as PNG"),
    "png-magic-only": ("a.png", b"\x89PNG\r\n\x1a\n", DAMAGED, AGAIN),
    "png-cut": ("a.png", saved(RGB, "PNG")[:3000], DAMAGED, AGAIN),
    "png-cut-head": ("a.png", saved(RGB, "PNG")[:20], DAMAGED, AGAIN),
    "png-flipped": ("a.png", swapped(saved(RGB, "PNG"), 3000, b"\0\1\2\3"), "checksum of its part IDAT", AGAIN),
    "png-no-pixels": ("a.png", png(60, 40, 8, 2, []), DAMAGED, AGAIN),
    "png-zero-wide": ("a.png", png(0, 40, 8, 2, [b""] * 40), DAMAGED, AGAIN),
    "png-no-palette": ("a.png", png(60, 40, 8, 9, [bytes(60)] * 40), DAMAGED, AGAIN),
    "jpeg-magic-only": ("a.jpg", b"\xff\xd8\xff", DAMAGED, AGAIN),
    "jpeg-cut": ("a.jpg", saved(RGB, "JPEG")[:1500], "truncated", AGAIN),
    "jpeg-cut-head": ("a.jpg", saved(RGB, "JPEG")[:200], DAMAGED, AGAIN),
    "jpeg-12-bit": ("a.jpg", saved(RGB, "JPEG").replace(b"\x11\x08\0\x28", b"\x11\x0c\0\x28"), "rare kind", AGAIN),
    "jpeg-zero": ("a.jpg", declaring(saved(RGB, "JPEG"), 0, 0), DAMAGED, AGAIN),
    "gif-magic-only": ("a.gif", b"GIF89a", DAMAGED, AGAIN),
    "gif-cut": ("a.gif", saved(RGB[..., 0], "GIF")[:1200], DAMAGED, AGAIN),
    "gif-no-frame": ("a.gif", b"GIF89a\1\0\1\0\0\0\0;", DAMAGED, AGAIN),
    "bmp-cut": ("a.bmp", saved(RGB, "BMP")[:3000], DAMAGED, AGAIN),
    "bmp-runs-cut": ("a.bmp", bmp(9, 9, 8, 1, b"\2\1", bytes(1024)), DAMAGED, AGAIN),
    "bmp-odd-depth": ("a.bmp", bmp(9, 9, 7, 0, bytes(99)), DAMAGED, AGAIN),
    "tiff-cut": ("a.tif", samples_tiff(RGB, 2)[:3000], DAMAGED, AGAIN),
    "tiff-magic-only": ("a.tif", b"II*\0", DAMAGED, AGAIN),
    "tiff-lzw-cut": ("a.tif", saved(RGB, "TIFF", compression="tiff_lzw")[:3000], DAMAGED, AGAIN),
    "tiff-lzw-flipped": (
        "a.tif",
        swapped(saved(RGB, "TIFF", compression="tiff_lzw"), 900, b"\xff" * 99),
        DAMAGED,
        AGAIN,
    ),
    "tiff-many-samples": ("a.tif", samples_tiff(RGB, 2, t277=(SHORT, [99])), "rare kind", AGAIN),
    "tiff-odd": ("a.tif", samples_tiff(RGB, 77), "rare kind", AGAIN),
    "webp-magic-only": ("a.webp", b"RIFF\x24\0\0\0WEBPVP8 ", DAMAGED, AGAIN),
    "webp-cut": ("a.webp", saved(RGB, "WEBP", lossless=True)[:2000], DAMAGED, AGAIN),
    "webp-canvas": ("a.webp", webp_of(61, 40), DAMAGED, AGAIN),
}
BOMBS: dict[str, tuple[str, bytes, str, str]] = {
    "png": ("a.png", png(30_000, 30_000, 8, 2, [bytes(99)]), "declares 900 million pixels; at most 67", "scale it"),
    "png-widest": ("a.png", png(2**31 - 1, 2**31 - 1, 8, 2, [b""]), "at most 67 million", "scale it down"),
    "jpeg": ("a.jpg", declaring(saved(RGB, "JPEG"), 30_000, 30_000), "at most 268 million", "scale it down"),
    "jpeg-progressive": (
        "a.jpg", declaring(saved(RGB, "JPEG", progressive=True), 15_000, 15_000), "at most 67 million", "scale it down",
    ),
    "jpeg-scans": ("a.jpg", declaring(scans(200), 8000, 8000), "is a JPEG of more than 100 scans", "save it anew"),
    "jpeg-scans-hidden": ("a.jpg", scans(200, segment(0xE1, b"\xff\xd9")), "more than 100 scans", "save it anew"),
    "jpeg-segments-between": ("a.jpg", scans(1, segment(0xE5, b"") * 200_000), "131,072 segments", "save it anew"),
    "gif": ("a.gif", gif_of(60_000, 60_000), "at most 67 million", "scale it down"),
    "gif-copy": ("a.gif", gif_of(10_000, 10_000), "declares 100 million pixels; at most 67", "scale it down"),
    "gif-pieces": (
        "a.gif", b"GIF89a\1\0\1\0\0\0\0!\xfe" + b"\1x" * 1_100_000 + b"\0;", "more than 1,048,576 pieces",
        "save it anew",
    ),
    "bmp": ("a.bmp", bmp(30_000, 30_000, 24, 0, bytes(99)), "declares 900 million pixels", "scale it down"),
    "bmp-runs": ("a.bmp", bmp(8000, 8000, 8, 1, b"\1\1\0\0" * 999, bytes(1024)), "at most 4 million", "scale it down"),
    "tiff": (
        "a.tif", samples_tiff(RGB, 2, t256=(LONG, [30_000]), t257=(LONG, [30_000])), "declares 900 million",
        "scale it down",
    ),
    "tiff-strips": ("a.tif", strips(300_000), "has 300,000 values in one tag (number 273)", "save it anew"),
    "tiff-tiles": ("a.tif", tiles(30_000), "is cut into tiles of 30,000 × 30,000 pixels", "save it anew"),
    "tiff-gigabytes": (
        "a.tif",
        tiff({256: (LONG, [9]), 270: (SHORT, [7] * 9)}).replace(struct.pack("<HI", 3, 9), b"\3\0\xff\xff\xff\x7f"),
        "has 2,147,483,647 values in one tag (number 270)", "save it anew",
    ),
    "tiff-within": ("a.tif", within(1 << 30), "has 1,073,741,824 values", "save it anew"),
    "tiff-big-count": (
        "a.tif", b"II+\0\x08\0\0\0" + struct.pack("<QQ", 16, 1 << 60),
        "has a directory of 1,152,921,504,606,846,976 tags", "save it anew",
    ),
    "webp": ("a.webp", webp_of(16_384, 16_384), "declares 268 million pixels; at most 34", "scale it down"),
    "png-pieces": (
        "a.png", png_of(RGB, chunk(b"prVt", b"") * 200_000), "is made of more than 131,072 pieces", "save it anew",
    ),
    "jpeg-segments": (
        "a.jpg", with_segments(saved(RGB, "JPEG"), segment(0xE5, b"") * 200_000), "more than 131,072 segments",
        "save it anew",
    ),
}  # fmt: skip
HARMLESS = {
    # Hostile in what is not the first frame's pixels, which is never looked at.
    "png-text": png_of(RGB, *[chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(900_000)))] * 99),
    "png-profile": png_of(RGB, chunk(b"iCCP", b"a\0\0" + zlib.compress(bytes(64 << 20), 1))),
    "png-frames": png_of(RGB, chunk(b"acTL", struct.pack(">II", 0x7FFFFFFF, 0))),  # says there are two milliards
    "gif-later": saved(RGB[..., 0], "GIF")[:-1] + gif_of(60_000, 60_000)[13:],
    "jpeg-exif": with_segments(saved(RGB, "JPEG"), *[segment(0xE1, b"Exif\0\0" + bytes(60_000))] * 300),
    "tiff-loop": endless(),
    "jpeg-scans-after-the-end": saved(RGB, "JPEG", progressive=True) + b"\xff\xda\0\2" * 999,
}


def told(path: Path, data: bytes) -> StrataError:
    path.write_bytes(data)
    with pytest.raises(DataError) as caught:
        open_picture(str(path))
    error = caught.value
    for line in (error.message, error.next_step):
        assert line and "\n" not in line and "0x" not in line and "BytesIO" not in line and "PIL" not in line
    assert error.message.startswith(str(path)) and len(error.message) < len(str(path)) + 160
    return error


@pytest.mark.parametrize("name", [*BAD, *(f"bomb-{name}" for name in BOMBS)])
def test_what_is_wrong_is_one_line_with_a_way_out(tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str) -> None:
    file, data, message, step = BAD[name] if name in BAD else BOMBS[name.removeprefix("bomb-")]
    error = told(tmp_path / file, data)
    assert message in error.message and step in error.next_step
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_hostile_beside_the_picture_does_no_harm(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(HARMLESS[name])
    picture = open_picture(str(tmp_path / name))
    shown = np.frombuffer(picture.pixels, np.uint8).reshape(40, 60, 3)
    if not name.startswith("jpeg"):
        assert np.array_equal(shown, np.repeat(RGB[..., :1], 3, -1) if name.startswith("gif") else RGB)


def test_what_libtiff_complains_of_is_noted_not_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """It writes to file descriptor 2, past Python, and decodes what it can."""
    fax = saved(Image.fromarray(RGB[..., 0] // 128 * 255).convert("1"), "TIFF", compression="group4")
    (tmp_path / "fax.tif").write_bytes(swapped(fax, 60, bytes(range(0, 240, 6))))
    picture = open_picture(str(tmp_path / "fax.tif"))
    assert len(picture.notes) == 1 and picture.notes[0].startswith("damaged in places (Fax4Decode: ")
    assert capfd.readouterr() == ("", "")
    os.write(2, b"as before")
    assert capfd.readouterr().err == "as before"


def test_what_pillow_logs_is_not_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python prints errors that are logged where nobody has said what becomes of them."""
    monkeypatch.setattr(logging.root, "handlers", [])
    told(tmp_path / "a.tif", BAD["tiff-many-samples"][1])
    assert capsys.readouterr() == ("", "")


WATCHED = """
import json, sys, time
from pathlib import Path
from strata.errors import StrataError
from strata.pictures.open import open_picture

def status(what):
    return next(int(line.split()[1]) / 1024 for line in open("/proc/self/status") if line.startswith(what))

files = sorted(Path(sys.argv[1]).iterdir())
for first in files:  # whatever is imported late is imported now
    if first.name.startswith("warm"):
        open_picture(str(first))
report = {}
for file in files:
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    before, start = status("VmRSS"), time.perf_counter()
    try:
        ended = open_picture(str(file)).notes
    except StrataError as error:
        ended = error.message
    report[file.name] = [time.perf_counter() - start, status("VmHWM") - before, ended]
print(json.dumps(report))
"""


def flat(mode: str, side: int, form: str) -> bytes:
    return saved(Image.new(mode, (side, side), 90), form)


@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="peaks are measured as Linux tells them")
def test_memory_and_time_are_bounded(tmp_path: Path) -> None:
    """In a process of its own, for every file of this module: what each costs above what was there before it."""
    lot = {name: data for name, (_, data, _, _) in BAD.items()}
    lot |= {f"bomb-{name}": data for name, (_, data, _, _) in BOMBS.items()} | HARMLESS
    lot |= {f"warm-{form}": saved(RGB, form) for form in ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")}
    lot["warm-16"] = png(4, 4, 16, 0, [bytes(8)] * 4)
    lot["large-png"], lot["large-jpeg"] = flat("L", 8192, "PNG"), flat("L", 10_000, "JPEG")
    for name, data in lot.items():
        (tmp_path / name).write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, str(tmp_path)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stderr == ""
    report = json.loads(done.stdout)
    assert report.keys() == lot.keys()
    for name, (seconds, megabytes, _) in report.items():
        honest = name.startswith("large")
        assert megabytes < (100 if honest else 50), (name, megabytes)
        assert seconds < (10 if honest else 3), (name, seconds)  # far more than it takes, for a busy machine
    assert any("scaled from 10000 × 10000" in note for note in report["large-jpeg"][2])


# Paths


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of a test, with three pictures and a text in it."""
    monkeypatch.chdir(tmp_path)
    for name in ("rocket.jpg", "Astronaut.png", "cat.webp"):
        (tmp_path / name).write_bytes(saved(RGB, "PNG"))
    (tmp_path / "notes.txt").write_text("no picture", encoding="utf-8")
    return tmp_path


PATHS: dict[str, tuple[str, type[StrataError], str, str]] = {
    # what is typed, the error, what the message must say, what the next step must say
    "nothing": ("", UsageError, "no picture is named", "give the path of a file"),
    "blanks": ("  ", UsageError, "no picture is named", "give the path of a file"),
    "near": ("rockets.jpg", DataError, "rockets.jpg does not exist", "did you mean rocket.jpg?"),
    "other-case": ("astronaut.PNG", DataError, "does not exist", "did you mean Astronaut.png?"),
    "other-ending": ("rocket.png", DataError, "rocket.png does not exist", "did you mean rocket.jpg?"),
    "far": ("elephant.tiff", DataError, "elephant.tiff does not exist", "check the path"),
    "no-folder": ("films/rocket.jpg", DataError, "nor is there a folder films", "check the path"),
    "a-file-as-folder": ("rocket.jpg/inner.jpg", DataError, "nor is there a folder rocket.jpg", "check the path"),
    "folder": (".", DataError, ". is a folder, not a picture", "Astronaut.png, cat.webp, rocket.jpg"),
    "http": ("http://example.org/a.png", UsageError, "is an address", "fetch it first"),
    "https": ("HTTPS://example.org/a.png", UsageError, "is an address", "fetch it first"),
    "s3": ("s3://bucket/a.png", UsageError, "is an address", "fetch it first"),
    "file-url": ("file:///tmp/a.png", UsageError, "is an address", "leave out file://"),
    "data-url": ("data:image/png;base64," + "A" * 9000, UsageError, "a data: address holds the picture", "save it to"),
    "nul": ("a\0.png", UsageError, "cannot be a path", "leave out the NUL"),
    "half-a-letter": ("\ud800.png", UsageError, "cannot be a path", "or half a letter"),
    "too-long": ("a" * 5000 + ".png", UsageError, "cannot be a path (File name too long)", "a shorter one"),
    "no-such-home": ("~nobody-of-that-name/a.png", UsageError, "there is no such home folder", "the path in full"),
    "device": ("/dev/zero", DataError, "/dev/zero is a device", "save the picture to a file"),
    "escape-codes": ("\x1b[31mred\r.png", DataError, "\\x1b[31mred .png does not exist", "check the path"),
}


@pytest.mark.parametrize("name", PATHS)
def test_a_path_that_leads_to_no_picture(folder: Path, name: str) -> None:
    typed, kind, message, step = PATHS[name]
    with pytest.raises(kind) as caught:
        open_picture(typed)
    assert message in caught.value.message and step in caught.value.next_step
    assert len(caught.value.message) < 200 and caught.value.message.isprintable()


def test_a_folder_names_the_first_three_of_its_pictures(folder: Path) -> None:
    for name in ("d.gif", "e.gif"):
        (folder / name).touch()
    with pytest.raises(DataError) as caught:
        open_picture(str(folder))
    assert caught.value.next_step == "name one of the pictures in it: Astronaut.png, cat.webp, d.gif and 2 more"
    (folder / "empty").mkdir()
    with pytest.raises(DataError) as caught:
        open_picture("empty")
    assert caught.value.next_step == "there is no picture in it; name a file"


def test_a_pipe_and_a_socket_are_never_opened(folder: Path) -> None:
    """Opening a pipe that nobody writes to would wait for ever."""
    os.mkfifo("pipe.png")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.png")
        for name, what in (("pipe.png", "a named pipe"), ("socket.png", "a socket")):
            with pytest.raises(DataError, match=f"{name} is {what}, not a picture"):
                open_picture(name)


def test_a_file_that_may_not_be_read(folder: Path) -> None:
    open_picture("rocket.jpg")  # what is imported late is imported while it may be
    Path("rocket.jpg").chmod(0)
    modes = {parent: stat.S_IMODE(parent.stat().st_mode) for parent in (folder, *folder.parents)}
    closed = {parent: mode for parent, mode in modes.items() if not mode & 1}
    user = os.geteuid()
    try:
        if user == 0:  # whom nothing is forbidden
            for parent, mode in closed.items():
                parent.chmod(mode | 1)
            os.seteuid(65534)
        with pytest.raises(DataError) as caught:
            open_picture("rocket.jpg")
    finally:
        if user == 0:
            os.seteuid(user)
            for parent, mode in closed.items():
                parent.chmod(mode)
    assert caught.value.message == "rocket.jpg cannot be read: permission denied"


def test_links_are_followed_and_loops_end(folder: Path) -> None:
    Path("link.png").symlink_to("rocket.jpg")
    assert open_picture("link.png").name == "link.png"
    Path("loop.png").symlink_to("loop.png")
    with pytest.raises(DataError, match=r"loop\.png cannot be read \("):
        open_picture("loop.png")
    Path("broken.png").symlink_to("gone.png")
    with pytest.raises(DataError, match=r"broken\.png does not exist"):
        open_picture("broken.png")


def test_no_more_of_a_file_is_read_than_the_limit(folder: Path) -> None:
    with Path("huge.png").open("wb") as file:
        file.truncate(1 << 40)  # takes no room
    with pytest.raises(DataError) as caught:
        open_picture("huge.png")
    assert caught.value.message == f"huge.png is larger than {MOST_BYTES >> 20} MB, the most that is read"


def test_home_and_names_that_are_no_utf_8(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    assert open_picture("~/rocket.jpg").path == str(folder / "rocket.jpg")
    name = os.fsdecode(b"caf\xe9.png")
    Path(name).write_bytes(saved(RGB, "PNG"))
    picture = open_picture(name)
    assert picture.name == "caf\\udce9.png"
    json.dumps(picture.to_json(), ensure_ascii=False).encode()
    picture.path.encode()


# Anything at all


SMALL = [
    saved(RGB[:9, :9], "PNG"), saved(scene(32, 24), "JPEG"), saved(scene(32, 24), "JPEG", progressive=True),
    saved(RGB[:9, :9, 0], "GIF"), saved(RGB[:9, :9], "BMP"), bmp(4, 2, 8, 1, b"\4\1\0\0\4\2\0\1", bytes(1024)),
    saved(RGB[:9, :9], "TIFF"), saved(RGB[:9, :9], "TIFF", compression="tiff_lzw"),
    saved(scene(32, 24), "TIFF", compression="jpeg"), saved(RGB[:9, :9], "TIFF", compression="tiff_adobe_deflate"),
    saved(RGB[:9, :9], "WEBP", lossless=True), saved(scene(32, 24), "WEBP"), planted_jpeg(scene(32, 24)),
    png_of(RGB[:9, :9], chunk(b"eXIf", exif(6))), grey_tiff(RGB[:8, :8, 0].astype("u2"), bits=12),
]  # fmt: skip


@st.composite
def broken(draw: st.DrawFn) -> bytes:
    """A valid small file that was cut, flipped, spliced or lengthened; or bytes that merely begin as one."""
    data = bytearray(draw(st.sampled_from(SMALL)))
    for _ in range(draw(st.integers(0, 6))):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    how = draw(st.sampled_from(["as it is", "cut", "spliced", "beginning only"]))
    if how == "cut":
        return bytes(data[: draw(st.integers(0, len(data)))])
    if how == "spliced":
        at = draw(st.integers(0, len(data)))
        return bytes(data[:at]) + draw(st.binary(max_size=40)) + bytes(data[at:])
    if how == "beginning only":
        return bytes(data[: draw(st.sampled_from([3, 4, 8, 12, 18, 30, 54]))]) + draw(st.binary(max_size=200))
    return bytes(data)


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "any.png"


@settings(max_examples=400, deadline=3000, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.one_of(broken(), st.binary(max_size=200)))
def test_any_bytes_end_in_a_picture_or_in_one_line(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    try:
        picture = open_picture(str(file))
    except StrataError as error:
        assert error.message and error.next_step and error.message.isprintable()
    else:
        assert len(picture.pixels) == 3 * picture.width * picture.height > 0
