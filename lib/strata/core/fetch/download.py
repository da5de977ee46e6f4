"""Files over HTTPS, as little trusted as a stranger's: redirects, sizes, times and what arrives are all bounded.

- Only https is asked, and followed; http only from this machine to itself (a local mirror, a test).
- No more bytes are taken than allowed, counted after the transfer's gzip is undone, whatever the headers say.
- 408, 429, 5xx, timeouts and broken connections are tried again, a few times, each announced. Retry-After is obeyed
  as far as Patience goes.
Not here: which addresses may be asked, and how (address.py).
"""

from __future__ import annotations

import hashlib
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from strata.core.fetch.address import address, client, is_here, may_ask, shown
from strata.core.fetch.inflate import inflated
from strata.errors import DataError
from strata.retry_after import retry_after

if TYPE_CHECKING:
    import httpx

REDIRECTS = 5
AGAIN = frozenset({408, 429, 500, 502, 503, 504})
MOVED = frozenset({404, 410})


@dataclass(frozen=True)
class Patience:
    """Seconds, but for tries (of one file, the first included). whole: for one file. The n-th wait is first_wait·2ⁿ⁻¹,
    or what the server asks for up to longest_wait."""

    tries: int = 3
    connect: float = 10.0
    read: float = 30.0
    whole: float = 1800.0
    first_wait: float = 1.0
    longest_wait: float = 30.0
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True)
class Fetched:
    """A file that is there. bytes, sha256: of the file at path, the transfer's gzip undone."""

    url: str
    path: Path
    bytes: int
    sha256: str


class _Again(Exception):
    """An attempt failed in a way that may pass. wait: what the server asks for, seconds, or None."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.wait = wait


class Downloads:
    """Fetches one file after another from base. by_hand: the way out that errors name.

    most: bytes, for one file and for all of them. advance: told how many bytes have come so far.
    """

    def __init__(
        self, base: str, most: tuple[int, int], by_hand: str, note: Callable[[str], None],
        advance: Callable[[int], None], patience: Patience,
    ) -> None:  # fmt: skip
        self.base = address(base)
        self.most = most
        self.by_hand = by_hand
        self.note = note
        self.advance = advance
        self.patience = patience
        self.done = 0
        self._client = client(self.base, patience.connect, patience.read)

    def __enter__(self) -> Downloads:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def fetch(self, name: str, folder: Path) -> Fetched:
        """The file base/name, as folder/name. DataError when it cannot be had."""
        url = self.base.join(f"{str(self.base).rstrip('/')}/{name}")
        for number in range(1, self.patience.tries + 1):
            try:
                found = self._attempt(url, folder / name)
            except _Again as error:
                wait = error.wait if error.wait is not None else self.patience.first_wait * 2.0 ** (number - 1)
                if wait > self.patience.longest_wait:
                    raise self._failed(
                        f"{shown(url)}: {error.why}, and asks to wait {wait:,.0f} s", "try again later"
                    ) from None
                if number == self.patience.tries:
                    raise self._failed(f"{shown(url)}: {error.why}, {number} times", "try again later") from None
                self.note(f"{name}: {error.why}; trying again in {wait:.0f} s ({number + 1} of {self.patience.tries})")
                self.patience.sleep(wait)
            else:
                self.done += found.bytes
                return found
        raise AssertionError("tries is at least 1")

    def _failed(self, message: str, first: str = "") -> DataError:
        return DataError(f"{message}; nothing was changed", f"{first}, or {self.by_hand}" if first else self.by_hand)

    def _attempt(self, url: httpx.URL, path: Path) -> Fetched:
        import httpx

        at = url
        try:
            for _ in range(REDIRECTS + 1):
                with self._client.stream("GET", at) as response:
                    if not response.has_redirect_location:
                        self._look(response, at)
                        return self._receive(response, url, path)
                    onward = at.join(response.headers["location"])
                    if not may_ask(onward) or (onward.scheme == "http" and not is_here(url)):
                        raise self._failed(f"{shown(url)} leads to {shown(onward)}, which is not https")
                    at = onward
            raise self._failed(f"{shown(url)} leads on and on, more than {REDIRECTS} times")
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
            why = "timed out" if isinstance(error, httpx.TimeoutException) else str(error)
            raise self._failed(f"{at.host} could not be reached ({why})") from error
        except httpx.TimeoutException as error:
            raise _Again(f"nothing came for {self.patience.read:g} s") from error
        except (httpx.NetworkError, httpx.RemoteProtocolError, EOFError, zlib.error) as error:
            raise _Again(f"it broke off ({error})") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._failed(f"{shown(url)}: {error}") from error

    def _look(self, response: httpx.Response, url: httpx.URL) -> None:
        """Return where the file itself follows; raise for everything else that a server may answer."""
        code = response.status_code
        if code in AGAIN:
            raise _Again(f"the server answered {code}", retry_after(response.headers.get("retry-after", "")))
        if code in MOVED:
            raise self._failed(f"{shown(url)} is not there ({code}): the set has moved")
        if code != 200:
            raise self._failed(f"{shown(url)}: the server answered {code}, not with the file")

    def _receive(self, response: httpx.Response, url: httpx.URL, path: Path) -> Fetched:
        most = min(self.most[0], self.most[1] - self.done)
        told = response.headers.get("content-length", "")
        if told.isdigit() and int(told[:18]) > most:
            raise self._too_large(url, most)
        digest, size, end = hashlib.sha256(), 0, time.monotonic() + self.patience.whole
        with path.open("wb") as file:
            for piece in self._pieces(response, url):
                if not size and is_page(piece):
                    raise self._failed(f"{shown(url)}: that is a web page, not JSON")
                size += len(piece)
                if size > most:
                    raise self._too_large(url, most)
                if time.monotonic() > end:
                    raise self._failed(f"{shown(url)} took longer than {self.patience.whole:g} s")
                file.write(piece)
                digest.update(piece)
                self.advance(self.done + size)
        return Fetched(shown(url), path, size, digest.hexdigest())

    def _too_large(self, url: httpx.URL, most: int) -> DataError:
        return self._failed(f"{shown(url)} is larger than the {most / 1e6:,.1f} MB that are taken at most")

    def _pieces(self, response: httpx.Response, url: httpx.URL) -> Iterator[bytes]:
        encoding = response.headers.get("content-encoding", "").strip().lower()
        if encoding in ("", "identity"):
            return response.iter_raw()
        if encoding in ("gzip", "x-gzip"):
            return inflated(response.iter_raw())
        raise self._failed(f"{shown(url)} came packed as {encoding[:40]}, which was not asked for")


def is_page(head: bytes) -> bool:
    """Whether content that begins like this is HTML or XML: JSON never begins with "<"."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")
