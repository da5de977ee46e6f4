"""What a request carried and nobody may repeat, taken out of whatever a server sends back."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Collection, Iterator
from urllib.parse import quote

from strata.llm.short_secrets import LONG, as_sent, is_plain, without_headers, without_named

HIDDEN, DATA = "[key]", "[data]"

PIECE, WORD = 24, 64
"""Characters from which on a piece of a file in base64 is known for it; and those that no word of any language has."""
_CODED = re.compile(rf"data:[\w.+/-]*;base64,[\w+/=-]*|[A-Za-z0-9+/_-]{{{PIECE},}}={{0,2}}")


def without(text: str, secrets: Collection[str]) -> str:
    """A text without the secrets, also where they are percent-encoded or in base64. Of plain words (short_secrets.py)
    only those after "Bearer"."""
    return without_headers(_without_forms(text, secrets), secrets, HIDDEN)


def without_any(text: str, secrets: Collection[str]) -> str:
    """The words of an error without the secrets, of plain words those too that are named as a key."""
    return without_named(without(text, secrets), secrets, HIDDEN)


def _without_forms(text: str, secrets: Collection[str]) -> str:
    for secret in secrets:
        for form in _forms(secret):
            text = text.replace(form, HIDDEN)
    return text


def without_data(text: str, files: Collection[bytes]) -> str:
    """What came back to a call that files were sent with, without the files, of which a server may repeat any part."""
    coded = [base64.b64encode(file).decode() for file in files]

    def hidden(match: re.Match[str]) -> str:
        run = match[0].replace("-", "+").replace("_", "/").rstrip("=")
        pieces = (run[at : at + PIECE] for at in range(len(run) - PIECE + 1))
        known = len(run) >= WORD or ":" in run or any(piece in one for piece in pieces for one in coded)
        return DATA if known else match[0]

    return _CODED.sub(hidden, text)


class Hiding:
    """Passes the pieces of a stream on without the secrets, which may come in several pieces: what may be the beginning
    of one is held back until it is known."""

    def __init__(self, stream: Callable[[str], None], secrets: Collection[str]) -> None:
        self._stream = stream
        self._secrets = secrets
        self._forms = [form for secret in secrets for form in _forms(secret)]
        self._headers = [form for secret in secrets for form in as_sent(secret)]
        self._held = ""

    def __call__(self, piece: str) -> None:
        text = _without_forms(self._held + piece, self._secrets)
        text = without_headers(text, self._secrets, HIDDEN, ends=False)
        begun = max(
            [_begun(text, form, len(form) - 1) for form in self._forms]
            + [_begun(text, form, len(form)) for form in self._headers],  # a whole one may be the beginning of a word
            default=0,
        )
        self._held = text[len(text) - begun :]
        self._pass(text[: len(text) - begun])

    def close(self) -> None:
        """Pass on what was held back."""
        self._pass(without(self._held, self._secrets))
        self._held = ""

    def _pass(self, text: str) -> None:
        if text:
            self._stream(text)


def _begun(text: str, form: str, most: int) -> int:
    """How many characters at the end of a text may be the beginning of a form, of which `most` count."""
    return next((n for n in range(min(len(text), most), 0, -1) if form.startswith(text[-n:])), 0)


def _forms(secret: str) -> list[str]:
    """Where it is hidden wherever it stands. The longest first, so that none is hidden by halves. The base64 of a short
    one would be found in plain words."""
    if is_plain(secret):
        return []
    if len(secret) < LONG:
        return [secret]
    percent = [quote(secret, safe=""), quote(secret)]
    lower = [re.sub("%..", lambda escape: escape[0].lower(), form) for form in percent]
    return sorted({secret, *percent, *lower, *_coded(secret.encode())}, key=lambda form: (-len(form), form))


def _coded(data: bytes) -> Iterator[str]:
    """In base64, alone and as what it looks like within longer data: there are three ways to stand on its groups of
    three bytes, and the characters at both ends that neighbours have a part in are left out."""
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        whole = encode(data).decode()
        yield from (whole, whole.rstrip("="))
        for before in range(3):
            bits = 8 * (before + len(data))
            yield encode(bytes(before) + data).decode()[-(-8 * before // 6) : bits // 6]
