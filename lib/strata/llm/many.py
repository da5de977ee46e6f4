"""Several requests at once, a few at a time.

Threads are daemons and hold nothing: when the user presses Ctrl-C, what waits is dropped, what is under way is left
alone, and the command ends at once.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from copy import copy

from strata.errors import ProviderError
from strata.llm.types import LanguageModel, Reply, Request

_LOOK = 0.05  # seconds between two looks for Ctrl-C, which waiting for a thread would hold up on some systems


def ask_all(model: LanguageModel, requests: Sequence[Request], limit: int = 4) -> list[Reply | ProviderError]:
    """The reply to each request, or its error, in their order; at most `limit` are under way at a time.

    After a fatal error (a wrong key, a model that is gone, a spent quota or budget) no further request is sent: those
    that were waiting get that same error, and the replies that came are kept. Any other exception is raised.
    """
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in range(len(requests)):
        waiting.put(number)
    done: queue.SimpleQueue[tuple[int, Reply | BaseException]] = queue.SimpleQueue()
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            try:
                number = waiting.get_nowait()
            except queue.Empty:
                return
            request = requests[number]
            try:
                done.put((number, model.complete(request.messages, request.schema, max_tokens=request.max_tokens)))
            except BaseException as error:
                if not isinstance(error, ProviderError) or error.fatal:
                    stop.set()
                done.put((number, error))

    workers = [threading.Thread(target=work, daemon=True) for _ in range(min(max(1, limit), len(requests)))]
    for worker in workers:
        worker.start()
    found: dict[int, Reply | ProviderError] = {}
    fatal: ProviderError | None = None
    try:
        while len(found) < len(requests):
            try:
                number, outcome = done.get(timeout=_LOOK)
            except queue.Empty:
                if stop.is_set() and not any(worker.is_alive() for worker in workers) and done.empty():
                    break
                continue
            if isinstance(outcome, BaseException) and not isinstance(outcome, ProviderError):
                raise outcome
            found[number] = outcome
            if isinstance(outcome, ProviderError) and outcome.fatal and fatal is None:
                fatal = outcome
    finally:
        stop.set()
    return [found[number] if number in found else _unsent(fatal) for number in range(len(requests))]


def _unsent(fatal: ProviderError | None) -> ProviderError:
    assert fatal is not None
    error = copy(fatal)
    error.reply = None  # what came to the one that met it is counted there
    return error
