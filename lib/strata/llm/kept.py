"""Replies kept on disk, so that a bench that asks the same again costs neither a call nor a token.

Each is a recording (recording.py: the same format, the same key) in cache/replies/, and sealed with a checksum. What it
cost the first time stays with it. A reply that does not fit its schema is kept too: it would come again. One that was
empty, blocked or never came is asked for again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from strata.errors import ArtefactError, BadReply, DataError
from strata.llm.recording import Header, Recording, key_of, read, recording
from strata.llm.types import LanguageModel, Message, Reply, Request, Schema
from strata.llm.wrapped import Wrapped


class Kept(Wrapped):
    """A LanguageModel that asks only what it was never asked before. note: told of files that cannot be used."""

    def __init__(self, model: LanguageModel, folder: Path, note: Callable[[str], None]) -> None:
        super().__init__(model)
        self._folder = folder
        self._note = note
        self._writes = True

    def complete(
        self,
        messages: Sequence[Message],
        schema: Schema | None = None,
        *,
        max_tokens: int = 1024,
        stream: Callable[[str], None] | None = None,
    ) -> Reply:
        request = Request(tuple(messages), schema, max_tokens)
        header = Header(self.provider, self.model, self.parameters)
        found = self._found(header, request)
        if found:
            return found.again(stream)
        try:
            reply = self._model.complete(messages, schema, max_tokens=max_tokens, stream=stream)
        except BadReply as error:
            if error.reply and error.reply.text:
                self._keep(recording(header, request, error.reply, error))
            raise
        self._keep(recording(header, request, reply, None))
        return reply

    def _found(self, header: Header, request: Request) -> Recording | None:
        key = key_of(header, request)
        path = self._folder / f"{key}.json"
        try:
            if not path.is_file():
                return None
            found = read(path, sealed=True)
            if found.key != key:  # whole, and under another's name
                raise DataError(f"the recording {path} answers another request")
            return found
        except (DataError, OSError) as error:
            self._note(f"{error}: it is asked for again")
            return None

    def _keep(self, made: Recording) -> None:
        """Where the cache cannot be written that is said once, and nothing is kept."""
        if not self._writes:
            return
        try:
            made.write(self._folder, sealed=True)
        except ArtefactError as error:
            self._writes = False
            self._note(f"replies are not kept: {error.message}")
