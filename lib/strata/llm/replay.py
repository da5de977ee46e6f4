"""Recorded replies in place of a model: no key, no network, the same reply every time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from strata.errors import DataError, NoRecording
from strata.files import is_folder
from strata.llm.recording import Header, Recording, key_of, read
from strata.llm.types import Message, Reply, Request, Schema
from strata.paths import expanded


class Replay:
    """A LanguageModel that answers from a folder of recordings.

    The recordings may come from several models: a request is looked for under each (provider, model, parameters) that
    their headers name. A file is known by what it holds, whatever its name; a damaged one is a DataError.
    """

    provider = "replay"
    parameters: Mapping[str, Any] = {}

    def __init__(self, folder: Path | str) -> None:
        self.folder = expanded(folder)

    @property
    def model(self) -> str:
        """The models whose replies are in the folder."""
        return ", ".join(sorted({header.model for header in self._headers})) or "none"

    @property
    def count(self) -> int:
        """How many recordings there are."""
        return len(self._recordings)

    @cached_property
    def _recordings(self) -> dict[str, Recording]:
        if not is_folder(self.folder):
            raise DataError(f"there is no folder {self.folder} to replay from",
                            "record one with --record FOLDER, or name one in STRATA_REPLAY")  # fmt: skip
        files = sorted(path for path in self.folder.glob("*.json") if not path.name.startswith("."))
        recordings = [read(path) for path in files]
        return {recording.key: recording for recording in recordings}

    @cached_property
    def _headers(self) -> list[Header]:
        return list({repr(found.header): found.header for found in self._recordings.values()}.values())

    def complete(
        self,
        messages: Sequence[Message],
        schema: Schema | None = None,
        *,
        max_tokens: int = 1024,
        stream: Callable[[str], None] | None = None,
    ) -> Reply:
        request = Request(tuple(messages), schema, max_tokens)
        keys = [key_of(header, request) for header in self._headers]
        found = next((self._recordings[key] for key in keys if key in self._recordings), None)
        if found is None:
            looked = ", ".join(f"{key} ({header.model})" for key, header in zip(keys, self._headers, strict=True))
            raise NoRecording(
                f"{self.folder} holds no recording of this call; looked for {looked or 'none: it is empty'}",
                f"record it: the same command with a model, as --llm groq, and --record {self.folder}",
            )
        return found.again(stream)
