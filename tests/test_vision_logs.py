"""Runs that were asked with a picture: what their logs hold, and experiment_cli on them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from strata.experiments.parsing import parse
from strata.llm import opening
from strata.llm.scripted import Scripted
from strata.pictures.sending import as_image
from tests.conftest import Run
from tests.harbour import read, rewrite
from tests.seen import jpeg, pieces_of, png, seen

ASKED, USED = "ship", "a ship with bread waits in an icy harbour"
REPLY = json.dumps({"shows": "A ship in the ice.", "query": USED})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return jpeg(tmp_path / "ship.jpg")


@pytest.fixture
def looked(
    cli: Run,
    films_file: Path,
    log_dir: Path,
    harbour_cache: Path,
    scripted: Callable[..., Scripted],
    monkeypatch: pytest.MonkeyPatch,
    file: Path,
) -> Callable[..., dict[str, Any]]:
    """looked(args …): the log of a search with the picture, by a model that then is gone."""

    def run(*args: str, reply: Any = REPLY) -> dict[str, Any]:
        before, real = set(log_dir.glob("*.json")), opening._provider
        if reply is not None:
            scripted(reply)
        done = cli("describe_image_cli", "--image", str(file), "--search", *args, "--dataset", str(films_file),
                   cache=harbour_cache)  # fmt: skip
        assert done.status == 0, done.err
        monkeypatch.setattr(opening, "_provider", real)
        (path,) = set(log_dir.glob("*.json")) - before
        return read(path)

    return run


def test_a_log_says_which_picture_and_where_it_was_but_holds_none_of_it(looked: Any, log_dir: Path, file: Path) -> None:
    log = looked("--query", ASKED)
    picture = seen(file)
    assert log["query"]["picture"] == {
        "name": "ship.jpg", "format": "JPEG", "width": 96, "height": 64, "digest": picture.digest, "notes": [],
        "path": str(file),
    }  # fmt: skip
    assert (log["query"]["original"], log["query"]["used"]) == (ASKED, USED)
    assert list(log).index("query") < list(log).index("layers")  # experiment_cli list reads no further
    (call,) = log["calls"]
    image = as_image(picture)
    assert call["messages"][0].keys() == {"role", "text"}
    assert call["messages"][1]["images"] == [{"mime": "image/jpeg", "width": 96, "height": 64, "digest": image.digest}]
    for kept in log_dir.glob("*.json"):
        assert pieces_of(image.data, kept.read_text()) == [] == pieces_of(picture.pixels[:3000], kept.read_text())


def test_a_path_is_absolute_in_the_log_wherever_one_stood(
    file: Path, monkeypatch: pytest.MonkeyPatch, cli: Run, films_file: Path, log_dir: Path, harbour_cache: Path
) -> None:
    monkeypatch.chdir(file.parent)
    done = cli("describe_image_cli", "--image", "ship.jpg", "--query", ASKED, "--search", "--llm", "none", "--dataset",
               str(films_file), "--json", cache=harbour_cache)  # fmt: skip
    assert str(file) not in json.dumps(done.json["query"]) and str(file) not in json.dumps(done.json["image"])
    (path,) = log_dir.glob("*.json")
    assert read(path)["query"]["picture"]["path"] == str(file)


@pytest.mark.parametrize("words", [("--query", ASKED), ()], ids=["with words", "alone"])
def test_a_run_is_replayed_from_its_log_and_the_picture(
    looked: Any, experiment: Run, log_dir: Path, words: tuple[str, ...]
) -> None:
    looked(*words)
    done = experiment("replay", "last", "--strict")
    assert done.status == 0 and "The same result" in done.out and "✗" not in done.out, done.out
    data = experiment("replay", "last", "--json").json
    assert data["same"] and data["diff"]["identical"], data["diff"]["changes"]
    assert data["replies"] == {"given_again": 1, "not_in_the_log": 0, "not_asked_for": 0}
    assert data["today"]["picture"] == "ship.jpg"
    again = experiment("replay", "last", "--log", "--json").json
    assert read(log_dir / f"{again['logged_as']}.json")["query"]["picture"]["name"] == "ship.jpg"
    assert experiment("diff", "last-1", "last", "--json").json["same_result"]


def test_a_run_by_rule_too(looked: Any, experiment: Run) -> None:
    looked("--query", ASKED, reply=None)
    done = experiment("replay", "last", "--strict")
    assert done.status == 0 and "The same result" in done.out and "nothing here can see" in done.err


def test_a_model_that_saw_no_picture_sees_none_again(looked: Any, experiment: Run) -> None:
    log = looked("--query", ASKED, reply="I don't see an image.")
    assert log["enhance"]["failed"]["kind"] == "bad_reply" and log["calls"][0]["reply"] == "I don't see an image."
    assert "The same result" in experiment("replay", "last").out


def test_show_and_list_name_the_picture(looked: Any, experiment: Run) -> None:
    log = looked("--query", ASKED)
    shown = experiment("show", "last").out
    assert f'asked      "{ASKED}" · picture ship.jpg (JPEG 96 × 64)' in shown and f'searched   "{USED}"' in shown
    assert f'"{ASKED}" + picture ship.jpg (JPEG 96 × 64)' in experiment("list").out
    alone = looked()
    assert "asked      picture ship.jpg (JPEG 96 × 64)" in experiment("show", alone["run_id"]).out
    assert [row.get("picture") for row in experiment("list", "--json").json["runs"]] == ["ship.jpg", "ship.jpg"]
    assert experiment("show", "last-1", "--json").json["query"]["picture"] == log["query"]["picture"]


def test_a_diff_tells_two_pictures_apart(looked: Any, experiment: Run, file: Path) -> None:
    looked("--query", ASKED)
    png(file.with_name("other.png"))
    jpeg(file, (80, 64))
    looked("--query", ASKED)
    changes = {one["name"]: one for one in experiment("diff", "last-1", "last", "--json").json["changes"]}
    assert changes["picture"]["kind"] == "asked" and changes["picture"]["before"] != changes["picture"]["after"]
    assert "picture" in experiment("diff", "last-1", "last").out


def test_a_picture_that_is_gone_or_another_is_said(looked: Any, experiment: Run, file: Path) -> None:
    looked("--query", ASKED)
    elsewhere = file.rename(file.with_name("elsewhere.jpg"))
    gone = experiment("replay", "last")
    assert gone.status == 2 and "cannot be opened again" in gone.err and "ship.jpg" in gone.err
    assert len(gone.err.splitlines()) == 1 and gone.out == ""
    jpeg(file, (80, 64))
    other = experiment("replay", "last")
    assert other.status == 2 and "its pixels are others" in other.err and len(other.err.splitlines()) == 1
    file.write_text("no picture at all")
    assert experiment("replay", "last").status == 2
    elsewhere.replace(file)
    assert "The same result" in experiment("replay", "last").out


def edited(log: dict[str, Any], **picture: Any) -> dict[str, Any]:
    return {"query": {**log["query"], "picture": {**log["query"]["picture"], **picture}}}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"path": ""}, "does not say where its picture"), ({"path": "/nowhere/\x1b[31m.jpg"}, "control characters"),
        ({"name": "\x1b]0;x\x07"}, "control characters"), ({"path": 7}, "path is no text"),
        ({"width": "wide"}, "width is no count"), ({"digest": None}, "digest is no text"),
        ({"digest": "0" * 64}, "its pixels are others"), ({"path": "/nowhere/a.jpg"}, "cannot be opened again"),
        ({"path": "."}, "cannot be opened again"),
    ],
)  # fmt: skip
def test_a_log_that_was_edited_is_an_error_that_says_so(
    looked: Any, experiment: Run, log_dir: Path, change: dict[str, Any], said: str
) -> None:
    log = looked("--query", ASKED)
    id = rewrite(log_dir, log, **edited(log, **change))
    done = experiment("replay", id)
    assert done.status == 2 and said in done.err and "\x1b" not in done.err and len(done.err.splitlines()) == 1, (
        done.err
    )
    assert "\x1b" not in experiment("show", id).out


@pytest.mark.parametrize("images", ["a", [7], [{}], [{"mime": 1, "width": 1, "height": 1, "digest": "d"}],
                                    [{"mime": "m", "width": -1, "height": 1, "digest": "d"}]])  # fmt: skip
def test_so_is_a_call_with_images_that_are_none(looked: Any, experiment: Run, log_dir: Path, images: Any) -> None:
    log = looked("--query", ASKED)
    log["calls"][0]["messages"][1]["images"] = images
    done = experiment("show", rewrite(log_dir, log))
    assert done.status == 2 and "is damaged" in done.err


def test_older_logs_have_no_picture(search: Any) -> None:
    log = search("bm25search", "harbour")
    assert "picture" not in log["query"] and parse(log).asked.picture is None
