"""Downloads: whatever a server does, the file comes whole or one line says why not, and nothing is left behind."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata import registry
from strata.core.catalogue import locate
from strata.core.fetch.download import Patience
from strata.core.fetch.inflate import PIECE, inflated
from strata.errors import DataError, UsageError
from tests.conftest import Run
from tests.site import BODY, FILE, SET, Asked, Site, reply

pytestmark = pytest.mark.usefixtures("catalogues")


def test_a_set_that_moved_is_told_with_the_way_by_hand(asked: Asked) -> None:
    error = asked.fails()
    assert "404" in error.message and "moved" in error.message and "--from FILE" in error.next_step
    assert registry.FETCH[SET].base in error.next_step and asked.waits == []


def test_a_server_in_trouble_is_asked_again(asked: Asked, site: Site) -> None:
    site.gives(reply(b"", 500), reply(b"", 503), reply())
    assert asked().documents == 2
    assert asked.waits == [1.0, 2.0] and "answered 500; trying again in 1 s (2 of 3)" in asked.notes[1]


def test_three_times_is_enough(asked: Asked, site: Site) -> None:
    site.gives(reply(b"", 502))
    assert "answered 502, 3 times" in asked.fails().message
    assert len(site.asked) == 3 and "--from FILE" in asked.fails().next_step


@pytest.mark.parametrize("status", [400, 401, 403, 206, 304])
def test_any_other_answer_is_final(asked: Asked, site: Site, status: int) -> None:
    site.gives(reply(b"" if status == 304 else b"no", status))
    assert f"answered {status}" in asked.fails().message and len(site.asked) == 1


@pytest.mark.parametrize(("asks", "waits"), [("7", 7.0), ("soon", 1.0), ("", 1.0), ("-3", 1.0), ("0", 0.0)])
def test_retry_after_is_obeyed(asked: Asked, site: Site, asks: str, waits: float) -> None:
    site.gives(reply(b"", 429, {"Retry-After": asks}), reply())
    assert asked().documents == 2 and asked.waits == [waits]


def test_retry_after_may_be_a_date(asked: Asked, site: Site) -> None:
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    site.gives(reply(b"", 503, {"Retry-After": then}), reply())
    asked()
    assert 15 < asked.waits[0] <= 20


@pytest.mark.parametrize("asks", ["3600", "9" * 40])
def test_a_long_wait_is_told_instead(asked: Asked, site: Site, asks: str) -> None:
    site.gives(reply(b"", 429, {"Retry-After": asks}))
    assert "asks to wait" in asked.fails().message and asked.waits == [] and len(site.asked) == 1


@pytest.mark.parametrize("sent", [b"", BODY[:20]])
def test_a_body_that_stalls_is_asked_for_again(asked: Asked, site: Site, sent: bytes) -> None:
    site.gives(site.stalled(sent), reply())
    assert asked().documents == 2 and "nothing came for 0.2 s" in asked.notes[1]
    site.gives(site.stalled(sent))
    with pytest.raises(DataError, match="3 times"):
        asked(replace=True)
    assert locate(SET).name == SET


def test_a_drip_without_end_is_cut_off(asked: Asked, site: Site) -> None:
    """Each byte comes in time, so that only the time for the whole file can end it."""

    def drips(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        for _ in range(100):
            site.over.wait(0.02)
            request.wfile.write(b" ")

    site.gives(drips)
    assert "took longer than 0.3 s" in asked.fails(patience=Patience(read=5, whole=0.3)).message


def test_a_body_cut_short_is_asked_for_again(asked: Asked, site: Site) -> None:
    site.gives(reply(BODY[:30], length=len(BODY)), reply())
    assert asked().documents == 2 and "broke off" in asked.notes[1]


@pytest.fixture
def capped(monkeypatch: pytest.MonkeyPatch) -> int:
    """At most one megabyte is taken of the set."""
    monkeypatch.setitem(registry.FETCH, SET, replace(registry.FETCH[SET], most=(1, 1)))
    return 1_000_000


@pytest.mark.parametrize("length", [None, -1])
def test_a_body_over_the_cap_is_refused(asked: Asked, site: Site, capped: int, length: int | None) -> None:
    site.gives(reply(b"[" + b" " * capped, length=length))
    assert "larger than the 1.0 MB" in asked.fails().message and len(site.asked) == 1


def test_a_length_over_the_cap_is_believed_before_anything_is_read(asked: Asked, site: Site, capped: int) -> None:
    site.gives(reply(length=capped + 1))
    assert "larger than the 1.0 MB" in asked.fails().message and len(site.asked) == 1


def test_a_body_that_unpacks_beyond_the_cap_is_refused(asked: Asked, site: Site, capped: int) -> None:
    packed = gzip.compress(b"[" + b" " * 50 * capped)
    assert len(packed) < capped / 10
    site.gives(reply(packed, headers={"Content-Encoding": "gzip"}))
    assert "larger than the 1.0 MB" in asked.fails().message


def test_the_cap_is_on_all_files_together(asked: Asked, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.FETCH, SET, replace(registry.FETCH[SET], files=("a.json", "b.json"), most=(1, 1)))
    for name in "ab":
        site.gives(reply(BODY + b" " * 600_000), path=f"/set/{name}.json")
    assert "b.json is larger than the 0.4 MB" in asked.fails().message


@pytest.mark.parametrize(
    "packed", [gzip.compress(BODY, mtime=0), gzip.compress(BODY[:9], mtime=0) + gzip.compress(BODY[9:], mtime=0)]
)
def test_gzip_of_the_transfer_is_undone(asked: Asked, site: Site, packed: bytes) -> None:
    site.gives(reply(packed, headers={"Content-Encoding": "gzip"}))
    assert asked().files[0].sha256 == hashlib.sha256(BODY).hexdigest()


@pytest.mark.parametrize("packed", [gzip.compress(BODY, mtime=0)[:-9], b"\x1f\x8b" + BODY, BODY])
def test_broken_gzip_of_the_transfer_is_asked_for_again(asked: Asked, site: Site, packed: bytes) -> None:
    site.gives(reply(packed, headers={"Content-Encoding": "gzip"}))
    assert "broke off" in asked.fails().message and len(site.asked) == 3


def test_no_other_packing_is_undone(asked: Asked, site: Site) -> None:
    site.gives(reply(b"x", headers={"Content-Encoding": "br"}))
    assert "packed as br" in asked.fails().message


@given(st.binary(max_size=3000), st.integers(1, 400), st.integers(1, 3))
def test_unpacking_does_not_depend_on_where_pieces_end(data: bytes, size: int, times: int) -> None:
    data *= 50
    packed = gzip.compress(data, mtime=0) * times
    pieces = list(inflated(packed[at : at + size] for at in range(0, len(packed), size)))
    assert b"".join(pieces) == data * times and all(0 < len(piece) <= PIECE for piece in pieces)


@pytest.mark.parametrize("body", [b"<!DOCTYPE html><html>", b"\xef\xbb\xbf\n <html>log in</html>", b"<?xml?>"])
def test_a_web_page_is_not_taken_for_a_catalogue(asked: Asked, site: Site, body: bytes) -> None:
    site.gives(reply(body))
    assert "that is a web page, not JSON" in asked.fails().message


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "is empty"),
        (b'{"movies": [', "not JSON"),
        (b'{"movies": []}', "holds no document"),
        (b"[1]", "expected an object"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_catalogue_is_told_by_its_address(asked: Asked, site: Site, body: bytes, said: str) -> None:
    site.gives(reply(body))
    error = asked.fails()
    assert said in error.message and error.message.startswith(site.host + FILE) and ".tmp" not in error.message
    assert "nothing was changed" in error.message


def test_redirects_are_followed(asked: Asked, site: Site) -> None:
    site.gives(reply(b"", 302, {"Location": "/elsewhere?x=1"}))
    site.gives(reply(b"", 301, {"Location": f"{site.host}/there"}), path="/elsewhere?x=1")
    site.gives(reply(), path="/there")
    assert asked().files[0].url == site.host + FILE and site.asked == [FILE, "/elsewhere?x=1", "/there"]


def test_a_redirect_loop_ends(asked: Asked, site: Site) -> None:
    site.gives(reply(b"", 302, {"Location": FILE}))
    assert "leads on and on" in asked.fails().message and len(site.asked) == 6


@pytest.mark.parametrize("onward", ["http://films.example/x", "ftp://films.example/x", "file:///etc/passwd"])
def test_a_redirect_to_what_is_not_https_is_refused(asked: Asked, site: Site, onward: str) -> None:
    site.gives(reply(b"", 302, {"Location": onward}))
    assert "which is not https" in asked.fails().message


@pytest.mark.parametrize("onward", ["http://[", "https://x:99999999/", "http://\x00/"])
def test_a_redirect_to_nowhere_is_one_line(asked: Asked, site: Site, onward: str) -> None:
    site.gives(reply(b"", 302, {"Location": onward.replace("\x00", "%00")}))
    assert isinstance(asked.fails(), DataError)


def test_a_server_that_is_not_there_is_one_line(cli: Run, site: Site) -> None:
    site.close()
    done = cli("data_cli", "fetch", SET, "-q", "--base-url", site.base)
    assert done.status == 2 and done.out == "" and len(done.err.splitlines()) == 1
    assert "127.0.0.1 could not be reached" in done.err and "nothing was changed" in done.err
    assert f"data_cli fetch {SET} --from FILE" in done.err


@pytest.mark.parametrize(
    "base",
    ["", "films", "http://films.example/set", "ftp://127.0.0.1/x", "https://h/x?a=1", "https://[::1", "https:///x"],
)
def test_an_address_that_is_none_is_wrong_usage(asked: Asked, base: str) -> None:
    assert isinstance(asked.fails(base_url=base), UsageError)


def test_a_name_and_password_in_the_address_are_sent_but_never_shown(
    asked: Asked, site: Site, catalogues: Path
) -> None:
    sent: list[str] = []

    def answer(request: BaseHTTPRequestHandler) -> None:
        sent.append(request.headers["Authorization"])
        reply()(request)

    site.gives(answer)
    base = site.base.replace("//", "//me:secret@")
    assert "secret" not in json.dumps(asked(base_url=base).to_json()) and sent[0].startswith("Basic ")
    assert "secret" not in (catalogues / SET / "origin.json").read_text(encoding="utf-8")
    site.gives(reply(b"", 500))
    with pytest.raises(DataError) as caught:
        asked(base_url=base, replace=True)
    assert "secret" not in f"{caught.value.message} {asked.notes}"


def test_no_proxy_stands_before_this_machine(asked: Asked, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    site.gives(reply())
    assert asked().documents == 2


def test_a_proxy_is_taken_from_the_environment(asked: Asked, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", site.host)  # answers 501 to CONNECT
    assert "films.example could not be reached (501" in asked.fails(base_url="https://films.example/set").message


@pytest.mark.parametrize("proxy", ["gopher://127.0.0.1:9", "socks5://127.0.0.1:9"])
def test_a_proxy_that_cannot_be_used_is_one_line(asked: Asked, monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    assert "HTTPS_PROXY" in asked.fails(base_url="https://films.example/set").next_step


def test_progress_is_told_in_kilobytes_and_never_ends_early(asked: Asked, site: Site) -> None:
    seen: list[tuple[str, int, int]] = []

    @contextmanager
    def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
        yield lambda done: seen.append((what, total, done))

    site.gives(reply(BODY + b" " * 30_000_000))
    asked(progress=progress)
    assert {what for what, *_ in seen} == {"kB fetched (about)"}
    assert seen[-1][2] == seen[-1][1] - 1 and [done for *_, done in seen] == sorted(done for *_, done in seen)
