"""Every error that a user may cause or meet, as one tree; the shell turns it into one line and an exit status.

    StrataError
    ├── UsageError       2   the command was asked for something it cannot do
    ├── DataError        2   a catalogue, golden set or plan file is missing or malformed
    ├── ArtefactError    2   the cache cannot be read or written, or weights are missing
    ├── ProviderError    3   a provider that was asked for by name failed
    └── CheckFailed      1   a check that was asked for did not hold

Anything that is not a StrataError is a bug and may show its trace.
"""


class StrataError(Exception):
    """What is wrong (`message`, one line) and what to do about it (`next_step`, one line, may be empty)."""

    exit_status = 2
    kind = "error"

    def __init__(self, message: str, next_step: str = "") -> None:
        super().__init__(message)
        self.message = " ".join(message.split())
        self.next_step = " ".join(next_step.split())


class UsageError(StrataError):
    kind = "usage"


class DataError(StrataError):
    kind = "data"


class ArtefactError(StrataError):
    kind = "artefact"


class ProviderError(StrataError):
    kind = "provider"
    exit_status = 3


class CheckFailed(StrataError):
    kind = "check"
    exit_status = 1
