"""What a vision model is sent of a picture: its pixels, small, in a file of its own, and nothing else at all."""

from __future__ import annotations

import io
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from strata import paths
from strata.core.picture import Picture
from strata.pictures.open import open_picture
from strata.pictures.sending import MOST_PNG, SENT_LONGEST, as_image
from tests.conftest import ROOT
from tests.odd_pictures import (
    SECRET,
    Pixels,
    chunk,
    exif,
    noise,
    planted_jpeg,
    planted_png,
    png_of,
    samples_tiff,
    saved,
    scene,
    segment,
    with_segments,
)

SCENE = scene(96, 64)
MARKERS = (SECRET, b"Exif", b"II*\0", b"MM\0*", b"xmpmeta", b"http://ns", b"ICC_PROFILE", b"iCCP", b"eXIf", b"tEXt",
           b"iTXt", b"zTXt", b"Photoshop", b"pHYs")  # fmt: skip
Opened = Callable[[bytes], Picture]


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    def make(data: bytes) -> Picture:
        (tmp_path / "any").write_bytes(data)
        return open_picture(str(tmp_path / "any"))

    return make


def decoded(data: bytes) -> Pixels:
    with Image.open(io.BytesIO(data)) as image:
        assert image.mode == "RGB"
        return np.asarray(image)


def parts(data: bytes) -> list[bytes]:
    """Names of a PNG's chunks, or a JPEG's segments up to its pixels."""
    found, at = [], 8
    if data[:2] == b"\xff\xd8":
        at = 2
        while data[at + 1] != 0xDA:
            found.append(data[at : at + 2])
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        return found
    while at < len(data):
        found.append(data[at + 4 : at + 8])
        at += 12 + int.from_bytes(data[at : at + 4], "big")
    return found


PLANTED = {
    "jpeg": planted_jpeg(SCENE),
    "png": planted_png(SCENE),
    "webp": saved(SCENE, "WEBP", exif=exif(), xmp=b"<x:xmpmeta>" + SECRET, icc_profile=SECRET),
    "tiff": samples_tiff(SCENE, 2, t270=(2, list(SECRET)), t700=(1, list(SECRET)), t34675=(7, list(SECRET))),
    "gif": saved(SCENE[..., 0], "GIF", comment=SECRET),
}


@pytest.mark.parametrize("name", PLANTED)
def test_no_metadata_leaves_the_machine(opened: Opened, name: str) -> None:
    assert SECRET in PLANTED[name]
    picture = opened(PLANTED[name])
    image = as_image(picture)
    for marker in MARKERS:
        assert marker not in image.data
    assert SECRET.decode() not in repr(picture) + repr(image) + str(picture.to_json())
    with Image.open(io.BytesIO(image.data)) as again:
        assert not again.getexif() and not {"exif", "xmp", "icc_profile", "comment", "dpi"} & again.info.keys()


def test_the_files_hold_what_decoding_needs_and_no_more(opened: Opened) -> None:
    photo, drawing = as_image(opened(planted_jpeg(SCENE))), as_image(opened(planted_png(SCENE)))
    assert parts(drawing.data) == [b"IHDR", b"IDAT", b"IEND"]
    assert set(parts(photo.data)) <= {b"\xff\xe0", b"\xff\xdb", b"\xff\xc0", b"\xff\xc4"}  # JFIF, tables, frame
    assert photo.data[2:20] == b"\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0"  # a shape of 1:1, no thumbnail
    assert photo.data.endswith(b"\xff\xd9")


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (saved(SCENE, "PNG"), "image/png"),
        (saved(SCENE, "BMP"), "image/png"),
        (saved(SCENE, "TIFF"), "image/png"),
        (saved(SCENE, "JPEG"), "image/jpeg"),
        (saved(SCENE, "WEBP"), "image/jpeg"),
        (saved(noise(700, 700), "PNG"), "image/jpeg"),  # as a PNG it would be too large
        (saved(np.full((90, 90, 3), 200, np.uint8), "JPEG"), "image/png"),  # one colour
        (saved(SCENE[..., 0], "JPEG"), "image/jpeg"),  # a grey photograph
    ],
)
def test_the_form_is_what_the_content_calls_for_and_the_type_what_it_is(opened: Opened, data: bytes, mime: str) -> None:
    picture = opened(data)
    image = as_image(picture)
    assert image.mime == mime
    assert image.data.startswith({"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}[mime])
    assert image.digest == picture.digest and image.name == picture.name
    shown = decoded(image.data)
    assert shown.shape == (image.height, image.width, 3) == (picture.height, picture.width, 3)
    sent = np.frombuffer(picture.pixels, np.uint8).reshape(shown.shape)
    if mime == "image/png":
        assert np.array_equal(shown, sent) and len(image.data) <= MOST_PNG
    elif picture.original == (96, 64):
        assert np.abs(shown.astype(int) - sent).mean() < 4


@pytest.mark.parametrize(
    ("size", "sent"), [((1000, 500), (768, 384)), ((300, 3000), (76, 768)), ((1, 5000), (1, 768)), ((768, 9), (768, 9))]
)
def test_no_side_is_longer_than_the_limit(opened: Opened, size: tuple[int, int], sent: tuple[int, int]) -> None:
    image = as_image(opened(saved(scene(*size), "PNG")))
    assert (image.width, image.height) == sent and max(sent) == SENT_LONGEST
    assert decoded(image.data).shape[1::-1] == sent


def test_equal_pixels_are_sent_as_equal_bytes(opened: Opened) -> None:
    images = [as_image(opened(data)) for data in (saved(SCENE, "PNG"), planted_png(SCENE), saved(SCENE, "BMP"))]
    assert len({image.data for image in images}) == 1 and len({image.digest for image in images}) == 1
    assert as_image(opened(saved(SCENE ^ 1, "PNG"))).digest != images[0].digest


def test_what_is_sent_is_upright(opened: Opened) -> None:
    lying = np.ascontiguousarray(SCENE.transpose(1, 0, 2)[::-1])
    shown = decoded(as_image(opened(png_of(lying, chunk(b"eXIf", exif(6))))).data)
    assert np.array_equal(shown, SCENE)
    photo = with_segments(saved(lying, "JPEG", quality=95), segment(0xE1, b"Exif\0\0" + exif(6)))
    image = as_image(opened(photo))
    assert (image.width, image.height) == (96, 64)
    assert np.abs(decoded(image.data).astype(int) - SCENE).mean() < 4


BUNDLED = sorted((ROOT / "data" / "images").glob("*.jpg"))


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)
def test_the_bundled_pictures_are_small_bare_and_credited(path: Path) -> None:
    data = path.read_bytes()
    picture = open_picture(str(path))
    assert len(data) <= 60_000 and max(picture.width, picture.height) <= 512
    assert (picture.original, picture.notes, picture.format) == ((picture.width, picture.height), (), "JPEG")
    assert set(parts(data)) <= {b"\xff\xe0", b"\xff\xdb", b"\xff\xc0", b"\xff\xc2", b"\xff\xc4"}
    rows = (path.parent / "README.md").read_text(encoding="utf-8").splitlines()
    row = next(row for row in rows if f"`{path.name}`" in row)
    assert "| public domain |" in row or "| CC0 |" in row


def test_the_bundled_pictures_are_in_the_clone_and_in_a_wheel() -> None:
    assert {path.stem for path in BUNDLED} >= {"rocket", "astronaut", "cat"}
    assert paths.data_dir() / "images" == BUNDLED[0].parent
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"]["data/images"] == "strata/_data/images"
    assert any(need.startswith("pillow") for need in project["project"]["optional-dependencies"]["pictures"])
