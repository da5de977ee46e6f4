"""Every error that a user may cause or meet, as one tree; the shell turns it into one line and an exit status.

    StrataError
    ├── UsageError       2   the command was asked for something it cannot do
    ├── DataError        2   a catalogue, golden set or plan file is missing or malformed
    ├── ArtefactError    2   the cache cannot be read or written, or weights are missing
    ├── ProviderError    3   a provider that was asked for by name failed
    │   ├── Unavailable         it cannot be reached, or answers with a server error
    │   ├── TimedOut            it did not answer in time
    │   ├── WrongKey            the key is missing or refused
    │   ├── ModelGone           the model does not exist (any more)
    │   ├── NoVision            the model reads text only, and was shown a picture
    │   ├── RateLimited         too many requests, and waiting would take too long
    │   ├── QuotaSpent          the day's, or the account's, allowance is used up
    │   ├── TooLong             the request is longer than the model takes; never tried again
    │   ├── Refused             the reply was blocked by the provider
    │   ├── BadReply            the reply is empty, cut off or not what was asked for
    │   ├── NoRecording         nothing was recorded for this request
    │   ├── BudgetSpent         the run's own limit of calls or tokens is reached
    │   └── NotSent          0  nothing was sent, as asked for (--show-prompt)
    └── CheckFailed      1   a check that was asked for did not hold

Anything that is not a StrataError is a bug and may show its trace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strata.llm.types import Reply


LONGEST = 2000
"""Characters of a line for people."""


def as_message(text: str, most: int = LONGEST) -> str:
    """A text that may hold anything (a query, a title, a path) as one line that is safe to draw: what cannot be printed
    is written as its escape, and of a line that is too long the middle is left out."""
    line = " ".join(text.split())
    if len(line) > most:
        line = f"{line[: most // 2]} … {line[-most // 4 :]}"
    if line.isprintable():
        return line
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    return line if len(line) <= most else f"{line[: most - 1]}…"


class StrataError(Exception):
    """What is wrong (`message`, one line) and what to do about it (`next_step`, one line, may be empty)."""

    exit_status = 2
    kind = "error"

    def __init__(self, message: str, next_step: str = "") -> None:
        self.message = as_message(message)
        self.next_step = as_message(next_step)
        super().__init__(self.message)


class UsageError(StrataError):
    kind = "usage"


class DataError(StrataError):
    kind = "data"


class ArtefactError(StrataError):
    kind = "artefact"


class ProviderError(StrataError):
    """again: whether asking again may help. fatal: whether every further request would end the same way.

    retry_after: seconds that the provider asks to wait, where it says so. reached: whether the request came to a
    server, which is what counts against a run's budget. reply: what a model wrote all the same, where it wrote
    something that is no use: it was paid for, and a caller may repair it.
    """

    kind = "provider"
    exit_status = 3
    again = False
    fatal = False
    retry_after: float | None = None
    reached = True
    reply: Reply | None = None


class Unavailable(ProviderError):
    kind = "unavailable"
    again = True


class TimedOut(ProviderError):
    kind = "timed_out"
    again = True


class WrongKey(ProviderError):
    kind = "wrong_key"
    fatal = True


class ModelGone(ProviderError):
    kind = "model_gone"
    fatal = True


class NoVision(ProviderError):
    kind = "no_vision"
    fatal = True


class RateLimited(ProviderError):
    kind = "rate_limited"
    again = True


class QuotaSpent(ProviderError):
    kind = "quota_spent"
    fatal = True


class TooLong(ProviderError):
    kind = "too_long"


class Refused(ProviderError):
    kind = "refused"


class BadReply(ProviderError):
    """text: what came, as it was written, "" where nothing did. It is a model's where there is a `reply`, which then
    has that text and nothing parsed."""

    kind = "bad_reply"

    def __init__(self, message: str, next_step: str = "", text: str = "") -> None:
        super().__init__(message, next_step)
        self.text = text


class NoRecording(ProviderError):
    kind = "no_recording"


class BudgetSpent(ProviderError):
    kind = "budget_spent"
    fatal = True


class NotSent(ProviderError):
    kind = "not_sent"
    exit_status = 0


class CheckFailed(StrataError):
    kind = "check"
    exit_status = 1
