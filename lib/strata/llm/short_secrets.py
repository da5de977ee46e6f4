"""Keys of a few characters, which stand in plain words too: "none", "ollama", "EMPTY", "test", "x", "1".

Servers of one's own take any key, so people give a word; hidden wherever its letters are, it would spoil replies and
their JSON. Such a word is hidden where it comes back as a key: after "Bearer", as it was sent, and in errors beside
the name of a key. What no text has by chance ("s3cr3t!", "me:pw") is hidden everywhere.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Collection

LONG = 8
"""Characters from which on a secret is hidden everywhere, in its encoded forms too."""
SURE = 4
"""Characters that a shorter one has at least, if it is not to be met by chance."""
_PLAIN = re.compile(r"[^\W\d_]+(?:[-_][^\W\d_]+)*|[\d.,:+-]+(?:[eE][+-]?\d+)?")
"""Words and numbers."""
_NAMED = (
    r"\bapi[ _-]?key\b[\"'`]*(?:\s+(?:provided|given|sent|received|is|was))?[\"'`:=\s(]+"
    r"|\b(?:authorization|bearer|basic|key|token|password|secret|credentials?)\b[\"'`]*\s*[:=\"'`(][\"'`:=\s(]*"
)
"""What stands before a key in an error, in the words of one server or another."""


def is_plain(secret: str) -> bool:
    """Whether a text may hold a secret by chance."""
    return len(secret) < LONG and (len(secret) < SURE or _PLAIN.fullmatch(secret) is not None)


def as_sent(secret: str) -> list[str]:
    """A short secret as a header has it; nothing for a long one."""
    if len(secret) >= LONG:
        return []
    return [f"Bearer {secret}", f"Basic {base64.b64encode(secret.encode()).decode()}"]


def without_headers(text: str, secrets: Collection[str], hidden: str, *, ends: bool = True) -> str:
    """A text without short secrets as they were sent. ends: it is whole, else it may go on in the middle of a word."""
    after = r"(?!\w)" if ends else r"(?=\W)"
    for form in (form for secret in secrets for form in as_sent(secret)):
        text = re.sub(re.escape(form) + after, f"{form.partition(' ')[0]} {hidden}", text)
    return text


def without_named(text: str, secrets: Collection[str], hidden: str) -> str:
    """The words of an error without short secrets beside the name of a key."""
    for secret in (secret for secret in secrets if len(secret) < LONG):
        text = re.sub(rf"((?i:{_NAMED})){re.escape(secret)}(?!\w)", lambda found: found[1] + hidden, text)
    return text
