"""What the examples are made of: odd texts, odd JSON, and valid things with something wrong in them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

FRAGMENTS = (
    "\x00", "\x07", "\x1b[31m", "\x1b]0;title\x07", "\x9b2J", "\x85", "\u2028", "\u2029", "\r", "\r\n", "\n\n", "\t",
    "\v", "\f", "\xa0", "\u3000", "\u200d", "\u202e", "\ufeff", "\ufffe", "\ud800", "\udfff", "\U0010ffff", "é",
    "e\u0301", "İ", "ß", "ﬁ", "ǅ", "ſ", "’s", "中文。", "😀", "١٢", "²", "Ⅷ", "\\u2019", "\\", '"', "'", "“", "”", "«",
    "`", "```json", "[1]", "[999]", "【1†】", "[1-999999999]", "<think>", "</think>", "{", "}", "[", "]", "{}", "null",
    "NaN", "1e999", "-", "--", "=", ">=", "!~", "%", "%s", "{0}", "$(x)", "~", "~nobody/x", "/", "..", "../..", "*",
    "?", ",", ";", ".", "...", " ", "   ", " and ", " not like ", " without ", "between 1990 and ", " the a an ",
    "Mr. ", "U.S. ", "1" * 400,
)  # fmt: skip
"""Each has broken somebody's program."""
WORDS = (
    "bear", "horse", "The Bear", "notting hill", "wes anderson", "being", "was", "pengiun", "antartica", "films",
    "like", "Alien", "but", "no", "sharks", "comedy", "1994", "80s", "from", "before",
)  # fmt: skip


def texts(most: int = 8) -> st.SearchStrategy[str]:
    """Texts of words and odd fragments; any character may be in them, half a surrogate pair too."""
    piece = st.sampled_from(FRAGMENTS) | st.sampled_from(WORDS) | st.text(st.characters(), max_size=5)
    return st.lists(piece, max_size=most).flatmap(
        lambda found: st.sampled_from(("", " ")).map(lambda by: by.join(found))
    )


def arguments(most: int = 6) -> st.SearchStrategy[str]:
    """Texts as a command line can hold them: no NUL; bytes that are no UTF-8 come as half letters."""
    return texts(most).map(lambda text: text.replace("\x00", "").encode("utf-8", "replace").decode())


DEEP = json.loads("[" * 90 + "]" * 90)
SCALARS = (
    None, True, False, 0, -1, 1, 7, 1.5, -0.0, 2.0, 1e308, float("inf"), float("nan"), 10**20, -(10**400), 2**63, "",
    " ", "1", "1.0", "x", "\x1b[31m", "\ud800", "\u2028", "x" * 3000, "../../etc", [], {}, [[]], [None], {"": None},
    {"id": {}},
)  # fmt: skip
odd_values = st.sampled_from((*SCALARS, DEEP)).map(copy.deepcopy) | texts(3) | st.integers() | st.floats()
any_json = st.recursive(
    odd_values, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts(2), inner, max_size=4), max_leaves=12
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where a JSON value holds anything, itself first."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in inner:
        yield from places(one, (*path, name))


@st.composite
def mutated(draw: st.DrawFn, valid: Any) -> Any:
    """A JSON value with up to three things wrong: one that is another, left out, repeated, wrapped, or newly named."""
    value = copy.deepcopy(valid)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(places(value))))
        if not path:
            value = draw(odd_values | st.just([value]) | st.just({"movies": value}))
            continue
        holder = value
        for step in path[:-1]:
            holder = holder[step]
        at, how = path[-1], draw(st.sampled_from(("other", "gone", "twice", "wrapped", "renamed")))
        if how == "gone":
            del holder[at]
        elif how == "twice" and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[at]))
        elif how == "wrapped":
            holder[at] = [holder[at]]
        elif how == "renamed" and isinstance(holder, dict):
            holder[draw(texts(2))] = holder.pop(at)
        else:
            holder[at] = draw(odd_values)
    return value


def dumped(value: Any) -> bytes:
    """JSON with whatever is in it: NaN and Infinity as words, half letters escaped."""
    return json.dumps(value).encode()


BYTES = (
    b"\x00", b"\xff", b"\xfe", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b",
    b'"', b"\\", b"\n", b"\r", b"\t", b",", b"{", b"}", b"[" * 5000, b'{"a":' * 5000, b"9" * 5000, b"1e999", b"-",
    b"NaN", b"Infinity", b'"id": 1, "id": 2, ', b"\xe2\x80\xa8", b"\\ud800", b"\\u0000", b" " * 2000, b'""', b"'",
    b"\t" * 20, b"#",
)  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn, valid: bytes) -> bytes:
    """Bytes with up to four things wrong: a piece put in, left out, repeated or changed, an end that is missing; or in
    another encoding."""
    data = valid
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        much = draw(st.integers(0, 40))
        how = draw(st.sampled_from(("in", "in", "out", "twice", "bit", "end")))
        if how == "in":
            data = data[:at] + draw(st.sampled_from(BYTES) | st.binary(max_size=4)) + data[at:]
        elif how == "out":
            data = data[:at] + data[at + much :]
        elif how == "twice":
            data = data[:at] + data[at : at + much] + data[at:]
        elif how == "bit" and at < len(data):
            data = data[:at] + bytes([data[at] ^ 1 << draw(st.integers(0, 7))]) + data[at + 1 :]
        elif how == "end":
            data = data[:at]
    if draw(st.integers(0, 9)) == 0:
        text = valid.decode("utf-8", "replace")
        data = text.encode(draw(st.sampled_from(("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "utf-7"))))
    return data
