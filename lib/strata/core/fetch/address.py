"""Which addresses are asked, and by what client: https ones, and http only from this machine to itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from strata import __version__
from strata.errors import UsageError

if TYPE_CHECKING:
    import httpx


def address(base: str) -> httpx.URL:
    """The address that files hang from, checked. UsageError for one that is not to be asked."""
    import httpx

    try:
        url = httpx.URL(base.strip())
    except httpx.InvalidURL as error:
        raise UsageError(f'"{base[:200]}" is no address ({error})', "give it as https://HOST/FOLDER") from error
    if not url.host or url.query or url.fragment or not may_ask(url):
        raise UsageError(
            f'"{base[:200]}" is no address to fetch from',
            "give it as https://HOST/FOLDER, without the file's name (http only for this machine itself)",
        )
    return url


def client(url: httpx.URL, connect: float, read: float) -> httpx.Client:
    """An HTTP client for an address; connect and read are seconds. It asks for gzip only: see inflate.py.

    httpx takes proxies and certificates from the environment by itself. No proxy stands before this machine.
    """
    import httpx

    try:
        return httpx.Client(
            timeout=httpx.Timeout(read, connect=connect),
            headers={"Accept-Encoding": "gzip", "User-Agent": f"strata/{__version__}"},
            trust_env=not is_here(url),
        )
    except (ImportError, OSError, ValueError, httpx.InvalidURL) as error:
        raise UsageError(
            f"the proxy or certificates that the environment names cannot be used ({error})",
            "see the variables HTTPS_PROXY, ALL_PROXY, SSL_CERT_FILE and SSL_CERT_DIR",
        ) from error


def shown(url: httpx.URL) -> str:
    """An address without a name and password that may stand in it."""
    return str(url.copy_with(userinfo=b""))


def may_ask(url: httpx.URL) -> bool:
    return url.scheme == "https" or (url.scheme == "http" and is_here(url))


def is_here(url: httpx.URL) -> bool:
    """Whether an address is of this machine itself."""
    import ipaddress

    try:
        return url.host == "localhost" or ipaddress.ip_address(url.host).is_loopback
    except ValueError:
        return False
