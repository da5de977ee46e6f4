"""What a file is, by its first bytes. The name is never asked."""

from __future__ import annotations

import re

FORMATS = {"PNG": "PNG", "JPEG": "JPEG", "WEBP": "WebP", "GIF": "GIF", "BMP": "BMP", "TIFF": "TIFF"}
"""What is read, by Pillow's names → as people write them. No other decoder of Pillow's is ever tried."""
MIME = {"PNG": "image/png", "JPEG": "image/jpeg"}
UNREAD = ", which is not read here"
VIDEO = "a video, not a picture"
CONVERT = "save it as JPEG or PNG and name that file"
FRAME = "save one frame of it as JPEG or PNG and name that file"
TAKE_OUT = "take the picture out of it and name that file"

_TIFF = (b"II*\0", b"MM\0*", b"II\0*", b"MM*\0", b"II+\0", b"MM\0+")
_BMP_HEADERS = (12, 40, 52, 56, 64, 108, 124)
_HEIF = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1", b"heif"}
_FOREIGN = (
    # where, first bytes, what it is, what to do
    (0, b"%PDF-", "a PDF document, not a picture", "save the page as PNG and name that file"),
    (0, b"%!PS", "PostScript: drawn, not made of pixels", "save it as PNG and name that file"),
    (0, b"\xc5\xd0\xd3\xc6", "PostScript (EPS): drawn, not made of pixels", "save it as PNG and name that file"),
    (0, b"8BPS", "a Photoshop file" + UNREAD, CONVERT),
    (0, b"gimp xcf", "a GIMP file" + UNREAD, CONVERT),
    (0, b"\x00\x00\x00\x0cjP  ", "a JPEG 2000 picture" + UNREAD, CONVERT),
    (0, b"\xff\x4f\xff\x51", "a JPEG 2000 picture" + UNREAD, CONVERT),
    (0, b"\x00\x00\x00\x0cJXL ", "a JPEG XL picture" + UNREAD, CONVERT),
    (0, b"\xff\x0a", "a JPEG XL picture" + UNREAD, CONVERT),
    (0, b"\x00\x00\x01\x00", "an icon (ICO)" + UNREAD, CONVERT),
    (0, b"icns", "an icon (ICNS)" + UNREAD, CONVERT),
    (0, b"qoif", "a QOI picture" + UNREAD, CONVERT),
    (0, b"\x76\x2f\x31\x01", "an OpenEXR picture" + UNREAD, CONVERT),
    (0, b"#?RADIANCE", "a Radiance HDR picture" + UNREAD, CONVERT),
    (0, b"IIRO", "a camera's raw picture" + UNREAD, CONVERT),
    (0, b"FUJIFILMCCD-RAW", "a camera's raw picture" + UNREAD, CONVERT),
    (128, b"DICM", "a medical picture (DICOM)" + UNREAD, CONVERT),
    (8, b"AVI ", VIDEO, FRAME),
    (0, b"\x1a\x45\xdf\xa3", VIDEO, FRAME),
    (0, b"\x00\x00\x01\xba", VIDEO, FRAME),
    (0, b"\x00\x00\x01\xb3", VIDEO, FRAME),
    (0, b"FLV\x01", VIDEO, FRAME),
    (0, b"\x30\x26\xb2\x75", VIDEO, FRAME),
    (4, b"moov", VIDEO, FRAME),
    (4, b"mdat", VIDEO, FRAME),
    (0, b"OggS", "a sound or video file, not a picture", "name a picture"),
    (0, b"ID3", "a sound file, not a picture", "name a picture"),
    (8, b"WAVE", "a sound file, not a picture", "name a picture"),
    (0, b"PK\x03\x04", "a ZIP archive (or an office document), not a picture", TAKE_OUT),
    (0, b"7z\xbc\xaf", "a 7z archive, not a picture", TAKE_OUT),
    (0, b"\x1f\x8b", "compressed with gzip", "unpack it and name that file"),
    (0, b"version https://git-lfs", "a Git LFS pointer, not the picture itself", "fetch the picture: git lfs pull"),
)
_PNM = re.compile(rb"P[1-7]\s")


def kind(head: bytes) -> str:
    """A name of FORMATS, "" for anything else. head: the first 32 bytes or more."""
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "PNG"
    if head.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "WEBP"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "GIF"
    if head.startswith(_TIFF):
        return "TIFF"
    # Two letters begin many a text as well; the header's size, a fixed few, tells them apart.
    return "BMP" if head[:2] == b"BM" and int.from_bytes(head[14:18], "little") in _BMP_HEADERS else ""


def foreign(head: bytes) -> tuple[str, str]:
    """For what is not read: ("is a HEIC picture, …", what to do). head: the first 1024 bytes or so."""
    if head[4:8] == b"ftyp":
        what, step = _boxed(head)
        return f"is {what}", step
    for at, magic, what, step in _FOREIGN:
        if head.startswith(magic, at):
            return f"is {what}", step
    if _PNM.match(head):
        return f"is a PNM picture{UNREAD}", CONVERT
    text = _as_text(head)
    if text is None:
        return f"is in no form that is known here; pictures are {known()}", "open it in a viewer and save it as PNG"
    low = text.lstrip("\ufeff \t\r\n").lower()
    if "<svg" in low:
        return "is an SVG: drawn, not made of pixels", "export it as PNG and name that file"
    if low.startswith(("<!doctype html", "<html", "<head", "<body")) or "<html" in low:
        return "is a web page, not a picture", "save the picture itself, not the page that shows it"
    if low.startswith("data:image/"):
        return "is a picture written out as text (a data: address)", "decode it into a file and name that"
    return "is text, not a picture", "name the picture's own file"


def known() -> str:
    *most, last = FORMATS.values()
    return f"{', '.join(most)} and {last}"


def _boxed(head: bytes) -> tuple[str, str]:
    """Files in boxes (ISO 14496-12) tell by their brands what they are."""
    end = min(int.from_bytes(head[:4], "big"), len(head))
    brands = {head[8:12], *(head[at : at + 4] for at in range(16, end - 3, 4))}
    if brands & {b"avif", b"avis"}:
        return "an AVIF picture" + UNREAD, CONVERT
    if brands & _HEIF:
        return "a HEIC picture, as iPhones take them" + UNREAD, CONVERT
    if b"crx " in brands:
        return "a camera's raw picture" + UNREAD, CONVERT
    return VIDEO, FRAME


def _as_text(head: bytes) -> str | None:
    """The beginning of a text, None for what is none."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head[: len(head) & ~1].decode("utf-16", "replace")
    for cut in range(4):  # the last letter may be cut
        try:
            text = head[: len(head) - cut].decode("utf-8")
        except UnicodeDecodeError:
            continue
        return text if text and all(c.isprintable() or c.isspace() or c == "\ufeff" for c in text) else None
    return None
