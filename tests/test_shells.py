"""Other shells: output that lacks signs, arguments that are no UTF-8, streams that are closed or full."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, Done
from tests.outside import FILMS, raw

C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

# Encodings of the output


@pytest.mark.parametrize(
    ("encoding", "title", "passage", "bar"),
    [
        ("ascii", "Amelie", 'cafe in Montmartre - "tres" shy', "####"),
        ("latin-1", "Amélie", 'café in Montmartre - "très" shy', "####"),
        ("cp1252", "Amélie", "café in Montmartre – “très” shy", "####"),
        ("cp437", "Amélie", 'café in Montmartre - "très" shy', "▓▓▓▓"),
        ("utf-8", "Amélie", "café in Montmartre – “très” shy", "▓▓▓▓"),
        ("utf-16", "Amélie", "café in Montmartre – “très” shy", "▓▓▓▓"),
    ],
)
def test_an_output_shows_what_its_encoding_can_and_what_is_nearest_for_the_rest(
    odd_films: Path, own_places: dict[str, str], encoding: str, title: str, passage: str, bar: str
) -> None:
    surroundings = own_places | {"PYTHONIOENCODING": encoding}
    search = ("rrf-search", "amélie café", "--dataset", str(odd_films))
    status, out, err = raw("hybrid_search_cli", *search, env=surroundings)
    text = out.decode(encoding)
    assert (status, err) == (0, b"") and f"1. (1) {title} " in text and bar in text
    assert passage in text.replace("[", "").replace("]", "")
    status, out, _ = raw("hybrid_search_cli", *search, "--json", env=surroundings)
    found = json.loads(out.decode(encoding))
    assert status == 0 and found["query"]["original"] == "amélie café", "JSON loses nothing"
    assert {result["title"] for result in found["results"]} == {film["title"] for film in FILMS}


def test_a_sign_without_a_near_one_is_a_question_mark_and_widths_stay(
    odd_films: Path, own_places: dict[str, str]
) -> None:
    surroundings = own_places | {"PYTHONIOENCODING": "ascii"}
    status, out, _ = raw("data_cli", "show", "2", "--dataset", str(odd_films), env=surroundings)
    assert status == 0 and b"Lodz ? ?? ?" in out and b"OEuvre d'art" in out
    status, out, err = raw("data_cli", "show", "nichts ✗ Ü", "--dataset", str(odd_films), env=surroundings)
    assert (status, out) == (2, b"") and b'"nichts x U"' in err
    status, out, err = raw("data_cli", "show", "nichts Ü", "--json", "--dataset", str(odd_films), env=surroundings)
    assert "nichts Ü" in json.loads(err)["error"]["message"]


@pytest.mark.parametrize("program", ["keyword_search_cli", "evaluation_cli", "strata"])
@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_help_is_drawn_in_signs_that_are_there(program: str, encoding: str) -> None:
    status, out, err = raw(program, "--help", env={"PYTHONIOENCODING": encoding})
    text = out.decode(encoding)
    assert (
        (status, err) == (0, b"")
        and "+- Commands ---" in text
        and "?" not in text.replace("sure that is?", "").replace("set sound?", "")
    )


@pytest.mark.parametrize("columns", ["0", "1", "none", "-5"])
def test_a_terminal_of_no_width_still_gets_its_help(columns: str) -> None:
    """Some containers and editors set COLUMNS=0."""
    _, out, _ = raw("data_cli", "--help", env={"COLUMNS": columns})
    assert b"import" in out and len(out) > 1000


# Encodings of what is typed


@pytest.mark.skipif(sys.platform == "win32", reason="arguments are no bytes there")
def test_a_locale_that_knows_no_letters_still_passes_them_on(odd_films: Path, own_places: dict[str, str]) -> None:
    """LC_ALL=C, with Python's own remedies for it switched off: arguments come as bytes that nobody has read."""
    command = ("keyword_search_cli", "bm25search", "Amélie", "--dataset", str(odd_films))
    status, out, err = raw(*command, env=own_places | C_LOCALE)
    assert (status, err) == (0, b"") and b"1. (1) Amelie - Score" in out
    _, out, _ = raw(*command, "--json", env=own_places | C_LOCALE)
    assert json.loads(out)["query"]["original"] == "Amélie"
    status, out, _ = raw("data_cli", "show", "Łódź", "--dataset", str(odd_films), "--json", env=own_places | C_LOCALE)
    assert status == 0 and json.loads(out)["id"] == 2


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="such names cannot be there")
def test_paths_and_words_that_are_no_utf_8(odd_films: Path, tmp_path: Path) -> None:
    odd = os.fsencode(tmp_path) + b"/b\xe9r.json"
    Path(os.fsdecode(odd)).write_bytes(odd_films.read_bytes())
    places = (b"--cache-dir", odd + b".cache", b"--log-dir", odd + b".logs")
    search = (b"rrf-search", b"b\xe9ar", b"--dataset", odd, *places)
    status, out, err = raw("hybrid_search_cli", *search)
    assert (status, err) == (0, b"") and "1. (2) Łódź".encode() in out
    status, out, _ = raw("hybrid_search_cli", *search, b"--json")
    found = json.loads(out)
    assert status == 0 and found["query"]["original"] == "b\ufffdar" and found["dataset"]["name"] == "b\udce9r.json"
    status, out, err = raw("experiment_cli", b"replay", b"last", *places)
    assert (status, err) == (0, b"") and b"the same" in out
    status, out, _ = raw("strata", b"doctor", b"--dataset", odd, *places)
    assert status == 0 and "b\ufffdr.json.cache (writable)".encode() in out
    for wrong in ([b"--config", b"\xe9"], [b"--where", b"\xe9"], [b"--exclude", b"\xe9"], [b"--encoder", b"\xe9"]):
        status, out, err = raw("hybrid_search_cli", b"rrf-search", b"bear", *wrong, b"--dataset", odd, *places)
        assert (status, out) == (2, b"") and err.startswith(b"error: ") and err.count(b"\n") == 1


# Streams


@pytest.mark.skipif(sys.platform == "win32", reason="a shell's way to close a stream")
def test_closed_streams_mix_nothing_up(odd_films: Path, own_places: dict[str, str]) -> None:
    """print(file=None) writes to the other stream: with stderr closed, an error would stand in the results."""
    command = f"'{sys.executable}' '{ROOT / 'cli' / 'keyword_search_cli.py'}' bm25search"
    surroundings = {**os.environ, **own_places}

    def shell(text: str) -> Done:
        done = subprocess.run(text, shell=True, env=surroundings, capture_output=True, text=True, check=False)
        return Done(done.returncode, done.stdout, done.stderr)

    done = shell(f"{command} '' --json 2>&-")
    assert (done.status, done.out) == (2, "")
    for closed in ("bear >&-", "bear --json >&-", "bear >&- 2>&- <&-", "--help >&-"):
        done = shell(f"{command} {closed} --dataset '{odd_films}'" if "--help" not in closed else f"{command} {closed}")
        assert (done.status, done.out, done.err) == (0, "", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the device that is always full")
@pytest.mark.parametrize("more", [[], ["--json"], ["--help"]])
def test_an_output_that_is_full_is_one_line_and_status_2(
    odd_films: Path, own_places: dict[str, str], more: list[str]
) -> None:
    with open("/dev/full", "w") as full:
        search = ("bm25search", "bear", "--dataset", str(odd_films), *more)
        status, _, err = raw("keyword_search_cli", *search, env=own_places, stdout=full)
        assert status == 2 and err.count(b"\n") == 1 and b"the output cannot be written (No space left" in err
        status, out, _ = raw("keyword_search_cli", "bm25search", "", env=own_places, stderr=full)
        assert (status, out) == (2, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of its own")
@pytest.mark.parametrize(
    ("env", "styled"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "xterm", "PYTHONIOENCODING": "ascii"}, True),
    ],
)
def test_on_a_terminal(odd_films: Path, own_places: dict[str, str], env: dict[str, str], styled: bool) -> None:
    import pty

    ours, theirs = pty.openpty()
    surroundings = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | own_places | env
    command = [
        sys.executable,
        str(ROOT / "cli" / "hybrid_search_cli.py"),
        "rrf-search",
        "café",
        "--dataset",
        str(odd_films),
    ]
    with subprocess.Popen(command, env=surroundings, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        seen = b""
        while True:
            try:
                seen += os.read(ours, 65536)
            except OSError:  # Linux's end of a terminal
                break
        os.close(ours)
    assert process.returncode == 0 and (b"\x1b[" in seen) is styled and b"Traceback" not in seen
    assert (b"\x1b[1;33m" in seen) is (styled and "NO_COLOR" not in env), "NO_COLOR takes the colours, bold stays"
    assert ("Amelie" if "PYTHONIOENCODING" in env else "Amélie").encode() in seen
