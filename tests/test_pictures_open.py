"""Pictures of every kind come out as the right upright RGB pixels; what was done to them is said."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from strata.core.picture import Picture
from strata.errors import ArtefactError, DataError
from strata.pictures.open import LONGEST, open_picture
from tests.conftest import ROOT
from tests.odd_pictures import (
    LONG,
    SHORT,
    Pixels,
    bmp,
    chunk,
    exif,
    grey_tiff,
    noise,
    planted_jpeg,
    planted_png,
    png,
    png_of,
    samples_tiff,
    saved,
    scene,
    segment,
    tiff,
    with_segments,
    without_segment,
)  # fmt: skip

RGB, GREY = noise(23, 17), noise(23, 17, 1)[..., 0]
SCENE = scene(64, 48)
WHITE = np.full((17, 23, 3), 255, dtype=np.uint8)

Opened = Callable[..., Picture]


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    """opened(bytes, name): the picture in a file of these bytes."""

    def make(data: bytes, name: str = "picture") -> Picture:
        (tmp_path / name).write_bytes(data)
        return open_picture(str(tmp_path / name))

    return make


def pixels(picture: Picture) -> Pixels:
    assert len(picture.pixels) == picture.width * picture.height * 3
    return np.frombuffer(picture.pixels, dtype=np.uint8).reshape(picture.height, picture.width, 3)


def grey(values: Any) -> Pixels:
    return np.repeat(np.asarray(values, dtype=np.uint8)[..., None], 3, axis=-1)


def on_white(colours: Any, alpha: Any) -> Pixels:
    """Each channel c · a + 255 · (1 − a), to the nearest whole number."""
    a = np.asarray(alpha, dtype=float)[..., None] / 255
    return np.rint(np.asarray(colours, dtype=float) * a + 255 * (1 - a)).astype(np.uint8)


def packed(values: Any, bits: int) -> list[bytes]:
    """Rows of samples of fewer than 8 bits."""
    return [
        np.packbits(np.unpackbits(row.astype(np.uint8)[:, None], axis=1)[:, 8 - bits :].ravel()).tobytes()
        for row in np.asarray(values)
    ]


PALETTE = noise(256, 1, seed=2)[0]
PLTE = chunk(b"PLTE", PALETTE.tobytes())
INDEX = noise(23, 17, 1, seed=3)[..., 0]
ALPHA = noise(23, 17, 1, seed=4)[..., 0]
WORDS = np.random.default_rng(5).integers(0, 65536, (17, 23), dtype=np.uint16)
TO_8 = np.rint(WORDS * (255 / 65535)).astype(np.uint8)
NIBBLES = GREY >> 4
KEYED = np.where((GREY >> 7)[..., None] == 1, 255, RGB).astype(np.uint8)
FIRST_BLACK = RGB.copy()
FIRST_BLACK[0, 0] = 0


def rgba(alpha: Any = ALPHA) -> Pixels:
    return np.dstack([RGB, alpha])


def animation(form: str, **how: Any) -> bytes:
    frames = [Image.fromarray(noise(23, 17, 1, seed=seed)[..., 0]) for seed in range(3)]
    return saved(frames[0], form, save_all=True, append_images=frames[1:], duration=40, **how)


FIRST = grey(noise(23, 17, 1, seed=0)[..., 0])


def big_endian(values: Any) -> list[bytes]:
    return [row.astype(">u2").tobytes() for row in values]


def bars(width: int = 4, height: int = 4) -> tuple[bytes, Pixels]:
    """A BMP in runs and what it shows."""
    palette = bytes([0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0]).ljust(1024, b"\0")  # red, green, blue as BGR0
    rows = [[(row + at // 2) % 3 for at in range(width)] for row in range(height)]
    runs = (
        b"".join(b"".join(bytes([2, row[at]]) for at in range(0, width, 2)) + b"\0\0" for row in rows[::-1]) + b"\0\1"
    )
    colours = np.array([[255, 0, 0], [0, 255, 0], [0, 0, 255]], dtype=np.uint8)
    return bmp(width, height, 8, 1, runs, palette), colours[np.array(rows)]


def pages() -> bytes:
    frames = [Image.fromarray(noise(23, 17, seed=seed)) for seed in (1, 2, 3)]
    return saved(frames[0], "TIFF", save_all=True, append_images=frames[1:])


EXACT: dict[str, tuple[bytes, Pixels, str]] = {
    # name: the file, its pixels, a part of what is noted ("" where nothing is)
    "png": (saved(RGB, "PNG"), RGB, ""),
    "png-alpha": (saved(rgba(), "PNG"), on_white(RGB, ALPHA), "transparent parts on white"),
    "png-alpha-opaque": (saved(rgba(np.full_like(ALPHA, 255)), "PNG"), RGB, ""),
    "png-alpha-nothing": (saved(rgba(np.zeros_like(ALPHA)), "PNG"), WHITE, "transparent parts on white"),
    "png-grey": (saved(GREY, "PNG"), grey(GREY), ""),
    "png-grey-alpha": (
        saved(Image.merge("LA", [Image.fromarray(GREY), Image.fromarray(ALPHA)]), "PNG"),
        on_white(grey(GREY), ALPHA), "transparent",
    ),
    "png-1-bit": (png(23, 17, 1, 0, packed(GREY >> 7, 1)), grey((GREY >> 7) * 255), ""),
    "png-4-bit": (png(23, 17, 4, 0, packed(NIBBLES, 4)), grey(NIBBLES * 17), ""),
    "png-4-bit-key": (
        png(23, 17, 4, 0, packed(NIBBLES, 4), chunk(b"tRNS", b"\0\7")),
        grey(np.where(NIBBLES == 7, 255, NIBBLES * 17)), "transparent",
    ),
    "png-16-bit": (png(23, 17, 16, 0, big_endian(WORDS)), grey(TO_8), "16 bits brought to 8"),
    "png-16-bit-key": (
        png(23, 17, 16, 0, big_endian(WORDS), chunk(b"tRNS", struct.pack(">H", WORDS[3, 4]))),
        grey(np.where(WORDS[3, 4] == WORDS, 255, TO_8)), "transparent",
    ),
    "png-rgb-16-bit": (png(23, 17, 16, 2, big_endian(RGB.reshape(17, -1) * np.uint16(257))), RGB, ""),
    "png-rgb-key": (
        png(23, 17, 8, 2, [row.tobytes() for row in FIRST_BLACK], chunk(b"tRNS", bytes(6))),
        np.where((FIRST_BLACK == 0).all(-1, keepdims=True), 255, FIRST_BLACK), "transparent",
    ),
    "png-rgb-16-bit-key": (
        png(23, 17, 16, 2, big_endian(FIRST_BLACK.reshape(17, -1) * np.uint16(257)),
            chunk(b"tRNS", struct.pack(">3H", *(RGB[2, 2] * np.uint16(257))))),
        np.where((RGB[2, 2] == FIRST_BLACK).all(-1, keepdims=True), 255, FIRST_BLACK), "transparent",
    ),
    "png-palette": (png(23, 17, 8, 3, list(map(bytes, INDEX)), PLTE), PALETTE[INDEX], ""),
    "png-palette-alphas": (
        png(23, 17, 8, 3, list(map(bytes, INDEX)), PLTE, chunk(b"tRNS", bytes(range(256)))),
        on_white(PALETTE[INDEX], INDEX), "transparent",
    ),
    "png-palette-one": (
        png(23, 17, 8, 3, list(map(bytes, INDEX)), PLTE, chunk(b"tRNS", b"\xff" * INDEX[0, 0] + b"\0")),
        on_white(PALETTE[INDEX], np.where(INDEX[0, 0] == INDEX, 0, 255)), "transparent",
    ),
    "png-animated": (animation("PNG"), FIRST, "first of 3 frames"),
    "png-metadata": (planted_png(RGB), RGB, "colour profile not applied"),
    # Pillow by itself refuses the next three: a large profile, a text bomb, a wrong checksum beside the pixels.
    "png-profile-2-mb": (
        png_of(RGB, chunk(b"iCCP", b"Coated FOGRA39\0\0" + zlib.compress(noise(1 << 20, 1, 2).tobytes()))), RGB,
        "colour profile not applied",
    ),
    "png-text-bomb": (png_of(RGB, *[chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(4 << 20)))] * 40), RGB, ""),
    "png-checksum-beside": (png_of(RGB, chunk(b"gAMA", b"\0\0\0\1")[:-4] + b"oops"), RGB, ""),
    "png-srgb": (png_of(RGB, chunk(b"iCCP", b"sRGB IEC61966\0\0" + zlib.compress(b"any"))), RGB, ""),
    "gif": (saved(GREY, "GIF"), grey(GREY), ""),
    "gif-palette": (
        saved(Image.frombytes("P", (23, 17), INDEX.tobytes()), "GIF", palette=PALETTE.tobytes()), PALETTE[INDEX], "",
    ),
    "gif-transparent": (
        saved(Image.fromarray(INDEX), "GIF", transparency=int(INDEX[0, 0])),
        grey(np.where(INDEX[0, 0] == INDEX, 255, INDEX)), "transparent",
    ),
    "gif-animated": (animation("GIF"), FIRST, "first of 3 frames"),
    "bmp": (saved(RGB, "BMP"), RGB, ""),
    "bmp-palette": (saved(Image.fromarray(GREY), "BMP"), grey(GREY), ""),
    "bmp-1-bit": (saved(Image.fromarray((GREY >> 7) * 255).convert("1"), "BMP"), grey((GREY >> 7) * 255), ""),
    "bmp-runs": (*bars(), ""),
    "bmp-top-down": (
        bmp(24, -17, 24, 0, noise(24, 17)[..., ::-1].tobytes()), noise(24, 17), "",
    ),
    "bmp-alpha": (
        bmp(23, 17, 32, 3, rgba()[::-1, :, [2, 1, 0, 3]].tobytes(),
            masks=struct.pack("<IIII", 0xFF0000, 0xFF00, 0xFF, 0xFF000000)),
        on_white(RGB, ALPHA), "transparent",
    ),
    "bmp-alpha-unused": (
        bmp(23, 17, 32, 3, rgba(np.zeros_like(ALPHA))[::-1, :, [2, 1, 0, 3]].tobytes(),
            masks=struct.pack("<IIII", 0xFF0000, 0xFF00, 0xFF, 0xFF000000)),
        RGB, "",
    ),
    "tiff": (saved(RGB, "TIFF"), RGB, ""),
    "tiff-lzw": (saved(RGB, "TIFF", compression="tiff_lzw"), RGB, ""),
    "tiff-deflate": (saved(RGB, "TIFF", compression="tiff_adobe_deflate"), RGB, ""),
    "tiff-fax": (
        saved(Image.fromarray((GREY >> 7) * 255).convert("1"), "TIFF", compression="group4"),
        grey((GREY >> 7) * 255), "",
    ),
    "tiff-big": (saved(RGB, "TIFF", big_tiff=True), RGB, ""),
    "tiff-pages": (pages(), RGB, "first of 3 pages"),
    "tiff-16-bit": (grey_tiff(WORDS), grey(TO_8), "16 bits brought to 8"),
    "tiff-16-bit-big-endian": (grey_tiff(WORDS, order=">"), grey(TO_8), "16 bits brought to 8"),
    "tiff-16-bit-white-is-0": (grey_tiff(WORDS, 0), grey(np.rint(255 - WORDS * (255 / 65535))), "16 bits"),
    "tiff-12-bit": (
        grey_tiff(WORDS[:16, :22] >> 4, bits=12), grey(np.rint((WORDS[:16, :22] >> 4) * (255 / 4095))), "12 bits",
    ),
    "tiff-32-bit": (grey_tiff(WORDS.astype("u4")), grey(TO_8), "values from 0 to 65535"),
    "tiff-signed": (
        grey_tiff((WORDS.astype("i4") - 70000), sample=2),
        grey(np.rint((WORDS - float(WORDS.min())) / (WORDS.max() - float(WORDS.min())) * 255)), "values from -",
    ),
    "tiff-floats": (grey_tiff((GREY / 255).astype("f4"), sample=3), grey(GREY), "values from 0 to 1"),
    "tiff-floats-broken": (
        grey_tiff(np.where(GREY < 9, np.nan, np.where(GREY > 250, np.inf, GREY / 255)).astype("f4"), sample=3),
        grey(np.where(GREY < 9, 0, np.where(GREY > 250, 255, GREY))), "values from 0 to 1",
    ),
    "tiff-nothing-finite": (grey_tiff(np.full((17, 23), np.nan, "f4"), sample=3), WHITE * 0, "values from 0 to 1"),
    "tiff-alpha": (samples_tiff(rgba(), 2, 2), on_white(RGB, ALPHA), "transparent"),
    "tiff-reduced": (samples_tiff(RGB, 2, t254=(LONG, [1])), RGB, "the preview in a camera's raw file"),
    "tiff-unknown-tags": (samples_tiff(RGB, 2, t37724=(SHORT, [7] * 99), t65000=(LONG, [1])), RGB, ""),
    "webp-lossless": (saved(RGB, "WEBP", lossless=True), RGB, ""),
    "webp-alpha": (saved(rgba(), "WEBP", lossless=True, exact=True), on_white(RGB, ALPHA), "transparent"),
    "webp-animated": (animation("WEBP", lossless=True), FIRST, "first of 3 frames"),
    "one-pixel": (saved(RGB[:1, :1], "PNG"), RGB[:1, :1], ""),
}  # fmt: skip


@pytest.mark.parametrize("name", EXACT)
def test_the_pixels_are_those_of_the_file(opened: Opened, capfd: pytest.CaptureFixture[str], name: str) -> None:
    data, expected, note = EXACT[name]
    picture = opened(data, name)
    assert np.array_equal(pixels(picture), expected)
    assert picture.original == (picture.width, picture.height) == expected.shape[1::-1]
    assert (note in " · ".join(picture.notes)) if note else picture.notes == ()
    assert {"PNG": "png", "GIF": "gif", "BMP": "bmp", "TIFF": "tiff", "WebP": "webp"}[picture.format] in name or (
        name == "one-pixel"
    )
    assert capfd.readouterr() == ("", "")


def cmyk() -> Image.Image:
    """SCENE in four inks, a third of them black."""
    ink = (255 - SCENE).astype(int)
    black = ink.min(-1, keepdims=True) // 3
    rest = np.clip((ink - black) * 255 // (255 - black), 0, 255)
    return Image.merge(
        "CMYK", [Image.fromarray(c.astype(np.uint8)) for c in np.moveaxis(np.dstack([rest, black]), -1, 0)]
    )


CLOSE: dict[str, tuple[bytes, str]] = {
    # Lossy, or a colour space that is rounded: SCENE within some levels. name: the file, a part of what is noted
    "jpeg": (saved(SCENE, "JPEG", quality=95), ""),
    "jpeg-progressive": (saved(SCENE, "JPEG", quality=95, progressive=True), ""),
    "jpeg-cmyk": (saved(cmyk(), "JPEG", quality=95), "CMYK mixed to RGB"),
    "jpeg-metadata": (planted_jpeg(SCENE), "colour profile not applied"),
    "jpeg-stray-bytes": (with_segments(saved(SCENE, "JPEG", quality=95), segment(0xE5, b"") + b"stray\xff\xff"), ""),
    "jpeg-after-the-end": (saved(SCENE, "JPEG", quality=95) + noise(99, 99).tobytes(), ""),
    "jpeg-many-segments": (with_segments(saved(SCENE, "JPEG", quality=95), *[segment(0xE5, b"")] * 90_000), ""),
    "jpeg-no-jfif": (without_segment(saved(SCENE, "JPEG", quality=95), 0xE0), ""),
    "tiff-jpeg": (saved(SCENE, "TIFF", compression="jpeg", quality=95), ""),
    "tiff-cmyk": (saved(cmyk(), "TIFF"), "CMYK mixed to RGB"),
    "tiff-lab": (saved(Image.fromarray(SCENE).convert("LAB"), "TIFF", icc_profile=None), ""),
    "tiff-ycbcr": (saved(Image.fromarray(SCENE).convert("YCbCr"), "TIFF"), ""),
    "webp": (saved(SCENE, "WEBP", quality=95), ""),
}


@pytest.mark.parametrize("colours", [RGB // 2, GREY[..., None] // 2], ids=["colour", "grey"])
def test_premultiplied_colours_lie_on_white_once(opened: Opened, colours: Pixels) -> None:
    """They hold their alpha already: what is seen is c + 255 − a, but for a level or two of rounding."""
    data = samples_tiff(np.dstack([colours, np.full_like(GREY, 128)]), 2 if colours.shape[-1] == 3 else 1, 1)
    picture = opened(data)
    assert np.abs(pixels(picture).astype(int) - (colours.astype(int) + 127)).max() <= 2
    assert picture.notes == ("transparent parts on white",)


@pytest.mark.parametrize("name", CLOSE)
def test_colours_come_through_lossy_formats_and_other_colour_spaces(opened: Opened, name: str) -> None:
    data, note = CLOSE[name]
    picture = opened(data, name)
    away = np.abs(pixels(picture).astype(int) - SCENE)
    assert away.mean() < 3 and away.max() < 40
    assert (note in " · ".join(picture.notes)) if note else picture.notes == ()


def test_every_other_format_of_pillow_stays_shut(opened: Opened) -> None:
    """Ghostscript, for one, is never started."""
    for form in ("PPM", "TGA", "PCX", "EPS", "ICO", "SGI", "PDF", "JPEG2000", "AVIF"):
        with pytest.raises(
            DataError, match=r"which is not read here|not made of pixels|not a picture|in no form that is known"
        ):
            opened(saved(RGB, form), f"picture.{form.lower()}")


TURNS = {
    # what was done to the upright picture, so that this orientation puts it right
    1: lambda p: p,
    2: lambda p: p[:, ::-1],
    3: lambda p: p[::-1, ::-1],
    4: lambda p: p[::-1],
    5: lambda p: p.transpose(1, 0, 2),
    6: lambda p: p.transpose(1, 0, 2)[::-1],
    7: lambda p: p.transpose(1, 0, 2)[::-1, ::-1],
    8: lambda p: p.transpose(1, 0, 2)[:, ::-1],
}


def lying(form: str, turn: int, upright: Pixels) -> bytes:
    stored = np.ascontiguousarray(TURNS[turn](upright))
    if form == "PNG":
        return png_of(stored, chunk(b"eXIf", exif(turn, ">")))
    if form == "PNG, EXIF last":
        return png_of(stored, after=chunk(b"eXIf", exif(turn)))
    if form == "WEBP":
        return saved(stored, "WEBP", lossless=True, exif=exif(turn))
    if form == "TIFF":
        return samples_tiff(stored, 2, t274=(SHORT, [turn]))
    if form == "TIFF, LZW":
        return saved(stored, "TIFF", compression="tiff_lzw", tiffinfo={274: turn})
    return with_segments(saved(stored, "JPEG", quality=100, subsampling=0), segment(0xE1, b"Exif\0\0" + exif(turn)))


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("form", ["PNG", "PNG, EXIF last", "WEBP", "TIFF", "TIFF, LZW", "JPEG"])
def test_all_eight_orientations_are_put_upright(opened: Opened, form: str, turn: int) -> None:
    upright = SCENE if form == "JPEG" else RGB
    picture = opened(lying(form, turn, upright))
    assert (picture.width, picture.height) == picture.original == upright.shape[1::-1]
    if form == "JPEG":
        assert np.abs(pixels(picture).astype(int) - upright).max() < 6
    else:
        assert np.array_equal(pixels(picture), upright)
        assert picture.digest == opened(saved(upright, "PNG")).digest
    assert picture.notes == ((f"turned upright (EXIF orientation {turn})",) if turn > 1 else ())


BROKEN_EXIF = {
    "empty": b"",
    "no header": b"not a header at all",
    "only a header": b"II*\0",
    "offset beyond the end": b"II*\0\xff\xff\xff\x7f",
    "more tags than there are": b"II*\0\x08\0\0\0\xff\xff" + bytes(40),
    "orientation 0": exif(0),
    "orientation 9": exif(9),
    "orientation of a million values": tiff({274: (SHORT, [6] * 30_000)}).replace(
        struct.pack("<I", 30_000), b"\xff" * 4
    ),
    "a loop": b"II*\0\x08\0\0\0\0\0\x08\0\0\0",
    "written twice": b"Exif\0\0" + exif(1),
}


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("name", BROKEN_EXIF)
def test_broken_exif_data_does_not_hurt(
    opened: Opened, capfd: pytest.CaptureFixture[str], name: str, form: str
) -> None:
    broken = BROKEN_EXIF[name]
    data = {
        "JPEG": lambda: with_segments(saved(SCENE, "JPEG", quality=95), segment(0xE1, b"Exif\0\0" + broken)),
        "PNG": lambda: png_of(SCENE, chunk(b"eXIf", broken)),
        "WEBP": lambda: saved(SCENE, "WEBP", quality=95, exif=broken),
    }[form]()
    picture = opened(data)
    assert np.abs(pixels(picture).astype(int) - SCENE).max() < 40 and picture.notes == ()
    assert capfd.readouterr() == ("", "")


def test_exif_written_twice_still_turns(opened: Opened) -> None:
    """python-pillow/Pillow#8348: a phone that wrote the six bytes twice."""
    data = with_segments(saved(SCENE, "JPEG"), segment(0xE1, b"Exif\0\0Exif\0\0" + exif(3)))
    assert opened(data).notes == ("turned upright (EXIF orientation 3)",)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF"])
@pytest.mark.parametrize(("size", "small"), [((2100, 1400), (1024, 683)), ((700, 5300), (135, 1024))])
def test_big_pictures_are_scaled_down(opened: Opened, form: str, size: tuple[int, int], small: tuple[int, int]) -> None:
    large = scene(*size)
    stored = large if form != "GIF" else large[..., 0]
    picture = opened(saved(stored, form))
    assert (picture.width, picture.height) == small and max(small) == LONGEST
    assert picture.original == size
    assert f"scaled from {size[0]} × {size[1]} to {small[0]} × {small[1]}" in picture.notes
    expected = scene(*small) if form != "GIF" else grey(scene(*small)[..., 0])
    away = np.abs(pixels(picture).astype(int) - expected)
    assert away.max() < (4 if form not in ("JPEG", "WEBP") else 16)


@pytest.mark.parametrize("size", [(1, 20_000), (20_000, 1), (3, 5000), (1, 1), (LONGEST, LONGEST + 1)])
@pytest.mark.parametrize("form", ["PNG", "JPEG"])
def test_thin_pictures_keep_a_pixel(opened: Opened, size: tuple[int, int], form: str) -> None:
    picture = opened(saved(np.full((size[1], size[0], 3), 77, np.uint8), form))
    assert max(picture.width, picture.height) == min(LONGEST, max(size)) and min(picture.width, picture.height) >= 1
    assert picture.original == size and set(picture.pixels) == {77}


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
def test_a_last_block_that_is_not_full_counts_by_its_size(opened: Opened, form: str) -> None:
    """Of nine columns brought to one in blocks of four, the last alone is white; as a whole block it would be 79."""
    columns = np.zeros((9001, 9, 3), np.uint8)
    columns[:, 8] = 255
    small = pixels(opened(saved(columns, form, **({"quality": 100, "subsampling": 0} if form == "JPEG" else {}))))
    assert small.shape == (1024, 1, 3) and 28 < small.mean() < 60


def test_a_scaled_picture_lies_upright_as_one_that_was_turned_first(opened: Opened) -> None:
    large = scene(1600, 1100)
    straight, turned = opened(saved(large, "PNG")), opened(lying("PNG", 6, large))
    assert (turned.width, turned.height, turned.original) == (1024, 704, (1600, 1100))
    assert np.abs(pixels(straight).astype(int) - pixels(turned)).max() <= 1
    assert turned.notes == ("turned upright (EXIF orientation 6)", "scaled from 1600 × 1100 to 1024 × 704")


def test_sharp_edges_and_transparency_survive_scaling(opened: Opened) -> None:
    """What is transparent has a colour too, which must not bleed into what is seen."""
    large = np.zeros((1500, 3000, 4), np.uint8)
    large[:, :1500] = (255, 0, 0, 255)
    large[:, 1500:] = (0, 0, 255, 0)
    small = pixels(opened(saved(large, "PNG")))
    assert (small[:, :500] == (255, 0, 0)).all() and (small[:, 524:] == 255).all()
    assert (small[..., 2] == small[..., 1]).all()  # blue nowhere without green


def test_the_digest_tells_pictures_apart(opened: Opened) -> None:
    flat = [opened(saved(np.zeros((h, w, 3), np.uint8), "PNG")).digest for w, h in ((6, 2), (2, 6), (4, 3), (3, 4))]
    assert len(set(flat)) == 4
    assert opened(saved(RGB, "PNG"), "a.png").digest == opened(saved(RGB, "BMP"), "b.bmp").digest
    assert opened(saved(RGB, "PNG")).digest != opened(saved(RGB ^ 1, "PNG")).digest


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("a.jpg", ("named .jpg, is a PNG",)), ("a.JPEG", ("named .JPEG, is a PNG",)),
        ("a.gif", ("named .gif, is a PNG",)),
        ("a.png", ()), ("a.PNG", ()), ("a", ()), ("a.dat", ()), ("a.b.png", ()),
    ],
)  # fmt: skip
def test_content_counts_not_the_name(opened: Opened, name: str, note: tuple[str, ...]) -> None:
    picture = opened(saved(RGB, "PNG"), name)
    assert picture.format == "PNG" and picture.name == name and picture.notes == note
    assert picture.path.endswith(f"/{name}") and "pixels" not in picture.to_json()


def test_a_second_picture_behind_the_first_is_left_alone(opened: Opened) -> None:
    """MPO: what phones write with a depth map. It is a JPEG to us."""
    file = io.BytesIO()
    Image.fromarray(SCENE).save(file, "MPO", save_all=True, append_images=[Image.fromarray(SCENE)], quality=95)
    picture = opened(file.getvalue(), "phone.jpg")
    assert picture.format == "JPEG" and picture.notes == ()
    assert np.abs(pixels(picture).astype(int) - SCENE).max() < 40


def test_pillow_is_left_as_it_was(opened: Opened) -> None:
    import logging

    before = (Image.MAX_IMAGE_PIXELS, list(logging.getLogger("PIL").handlers))
    opened(saved(RGB, "PNG"))
    with pytest.raises(DataError, match="damaged"):
        opened(saved(RGB, "PNG")[:200])
    assert (Image.MAX_IMAGE_PIXELS, list(logging.getLogger("PIL").handlers)) == before


def test_without_pillow_one_line_says_how_to_get_it(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ArtefactError) as caught:
        opened(EXACT["png"][0])
    assert caught.value.next_step == "pip install 'strata-search[pictures]'" and "pillow" in caught.value.message


def test_nothing_heavy_is_loaded_until_a_picture_is_opened() -> None:
    script = (
        "import sys, strata.pictures.open, strata.pictures.sending;"
        "print(*{'PIL', 'numpy', 'torch'} & {m.partition('.')[0] for m in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == ""
