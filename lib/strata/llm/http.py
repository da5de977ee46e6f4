"""The HTTP client that every provider shares: one deadline for a whole reply, and what its failures mean."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from strata.errors import ProviderError, TimedOut, Unavailable
from strata.llm.faults import clean

if TYPE_CHECKING:
    import httpx

CONNECT_SECONDS = 10.0


def client(owner: object, seconds: float, clock: Callable[[], float] = time.monotonic) -> httpx.Client:
    """A client that gives each reply so many seconds from the request to its last byte. It is closed with its owner.

    httpx's own time-out begins anew with every piece; a server that dribbles would hold a command for ever. Proxies
    and certificates are taken from the environment, as httpx does.
    """
    import httpx

    class Bounded(httpx.SyncByteStream):
        def __init__(self, inner: httpx.SyncByteStream, request: httpx.Request) -> None:
            self._inner = inner
            self._request = request

        def __iter__(self) -> Iterator[bytes]:
            for piece in self._inner:
                if clock() > self._request.extensions["strata.deadline"]:
                    raise httpx.ReadTimeout("the reply took too long", request=self._request)
                yield piece

        def close(self) -> None:
            self._inner.close()

    def begin(request: httpx.Request) -> None:
        request.extensions["strata.deadline"] = clock() + seconds

    def bound(response: httpx.Response) -> None:
        assert isinstance(response.stream, httpx.SyncByteStream)
        response.stream = Bounded(response.stream, response.request)

    opened = httpx.Client(
        timeout=httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
        event_hooks={"request": [begin], "response": [bound]},
        follow_redirects=False,
    )
    weakref.finalize(owner, opened.close)
    return opened


def failed(error: Exception, provider: str, host: str, seconds: float) -> ProviderError:
    """The typed error of a request that got no whole answer."""
    import httpx

    problem = _failed(error, provider, host, seconds)
    problem.reached = not isinstance(
        error,
        httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout | httpx.ProxyError
        | httpx.InvalidURL | httpx.UnsupportedProtocol | httpx.LocalProtocolError,
    )  # fmt: skip
    return problem


def _failed(error: Exception, provider: str, host: str, seconds: float) -> ProviderError:
    import httpx

    if isinstance(error, httpx.TimeoutException):
        return TimedOut(f"{provider} ({host}) did not answer within {seconds:g} s",
                        "try again, or allow more with STRATA_LLM_TIMEOUT")  # fmt: skip
    if isinstance(error, httpx.ConnectError):
        return Unavailable(
            f"{provider} cannot be reached at {host}", "check the network and the address; --llm none needs neither"
        )
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol | httpx.LocalProtocolError):
        problem = Unavailable(f"{provider}: {host} is no address to ask ({clean(str(error))})", "check the base URL")
        problem.again = False
        return problem
    return Unavailable(
        f"{provider} ({host}) broke off its answer ({type(error).__name__})", "try again later, or use --llm none"
    )


def host(url: str) -> str:
    """The server of a URL, for messages: without a password that the URL may hold."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        return parts.netloc.rpartition("@")[2] or url.partition("@")[2] or url
    except ValueError:
        return "the address given"
