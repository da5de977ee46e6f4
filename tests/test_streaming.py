"""An answer on a terminal: the sources first, the words as they come, nothing twice."""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path

import pytest

from strata.show.live import Live
from tests import llm_server as server_module
from tests.conftest import ROOT, UNSET
from tests.llm_server import Server, chunks, completion, events, reply

pty = pytest.importorskip("pty", reason="pseudo-terminals are POSIX's")


def on_a_terminal(args: list[str], env: dict[str, str]) -> tuple[int, str]:
    """Run a program on a pseudo-terminal; (exit status, everything that it showed there)."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(sys.executable, [sys.executable, *args], env)
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # Linux's way of saying that the other side is gone
            break
        if not piece:
            break
        shown += piece
    os.close(terminal)
    text = re.sub("\x1b\\[[0-9;]*m", "", shown.decode().replace("\r\n", "\n"))  # bold and dim
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), text


def citations(llm: Server, shared_cache: Path, tmp_path: Path, *more: str) -> tuple[int, str]:
    env = {**os.environ, **UNSET, "STRATA_LLM_BASE_URL": llm.base("openai"), "STRATA_LLM_API_KEY": server_module.KEY,
           "STRATA_LLM_MODEL": "m", "COLUMNS": "80", "NO_COLOR": "1", "TERM": "xterm"}  # fmt: skip
    program = str(ROOT / "cli" / "augmented_generation_cli.py")
    where = ["--cache-dir", str(shared_cache), "--log-dir", str(tmp_path)]
    return on_a_terminal(
        [program, "citations", "romantic comedy recommendations", "--limit", "2", "-q", *where, *more], env
    )


def test_the_sources_come_first_then_the_words_then_the_check(
    llm_server: Server, shared_cache: Path, tmp_path: Path
) -> None:
    llm_server.gives(events(chunks("Bridget Jones's ", "Dia", "ry is a ", "come", "dy [1]. \x1b[31mIt ends well [9].")))
    status, shown = citations(llm_server, shared_cache, tmp_path)
    assert status == 0 and llm_server.asked[0].body["stream"] is True
    parts = ("Sources  [1] (70)", "Answer   openai m\n", "  Bridget Jones's Diary is a comedy [1]. It ends well [9].\n",
             "  40 + 9 tokens", "Check    ", "only 2 sources")  # fmt: skip
    places = [shown.index(part) for part in parts]
    assert places == sorted(places) and shown.count("is a comedy [1]. It") == 1 and "[31m" not in shown


def test_a_provider_that_fails_leaves_the_sources(llm_server: Server, shared_cache: Path, tmp_path: Path) -> None:
    llm_server.gives(reply({"error": {"message": "no such model"}}, 404))
    status, shown = citations(llm_server, shared_cache, tmp_path, "--llm", "openai")
    assert status == 3 and shown.count("Sources  [1]") == 1 and "Answer   none: " in shown


def test_where_there_is_no_terminal_it_is_asked_for_whole(
    llm_server: Server, cli: server_module.Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATA_LLM_BASE_URL", llm_server.base("openai"))
    monkeypatch.setenv("STRATA_LLM_MODEL", "m")
    llm_server.gives(reply(completion("Bridget Jones's Diary is a comedy [1].")))
    done = cli("augmented_generation_cli", "citations", "romantic comedy recommendations")
    assert done.status == 0 and "Answer   openai served-model · 40 + 9 tokens" in done.out
    assert "stream" not in llm_server.asked[0].body


@pytest.mark.parametrize("cuts", [1, 2, 3, 7, 1000])
def test_lines_are_broken_between_words_however_the_words_come(cuts: int) -> None:
    text = "One two three [1].\n\n" + "word " * 40 + "\x07x" * 90 + " 終わり" * 30
    stream = io.StringIO()
    live = Live(stream)
    for at in range(0, len(text), cuts):
        live(text[at : at + cuts])
    live.close()
    lines = stream.getvalue().rstrip("\n").split("\n")
    assert lines[0].startswith("Answer") and lines[1] == "  One two three [1]." and lines[2].startswith("  word word")
    assert "\x07" not in stream.getvalue() and "".join(stream.getvalue().split())[6:] == "".join(
        text.replace("\x07", "").split()
    )
    long = "x" * 90
    assert all(len(one) <= 80 or long in one for one in lines[1:])
