"""describe_image_cli as people run it: with a model on a loopback server, without one, and when all goes wrong."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from strata.pictures.sending import as_image
from tests.conftest import Run
from tests.llm_client import ALL
from tests.llm_server import Server, reply, said
from tests.seen import REPLY, SHOWS, WORDS, WRITTEN, Describe, arrived, jpeg, png, seen
from tests.test_llm_faults import DECOMMISSIONED, MINUTE, NO_MODEL
from tests.test_vision_refusals import BLIND, error

ASK = ("--query", WORDS)


@pytest.fixture
def rocket(tmp_path: Path) -> Path:
    return jpeg(tmp_path / "rocket.jpg")


@pytest.mark.parametrize("provider", ALL)
def test_a_picture_is_put_into_words(describe: Describe, llm_server: Server, rocket: Path, provider: str) -> None:
    done = describe(provider, reply(said(provider, REPLY)), *ASK, image=rocket)
    assert done.status == 0 and done.err == ""
    size = f"{round(len(as_image(seen(rocket)).data) / 1000)} kB"
    text = " ".join(done.out.split())
    assert f"rocket.jpg · JPEG 96 × 64 · sent as image/jpeg, 96 × 64, {size}, no metadata" in text
    assert f"shows {SHOWS}" in text and f'"{WORDS}" → "{WRITTEN}"' in text
    assert f"by {provider}, served-model · 40 + 9 tokens" in text
    assert all(len(line) <= 80 for line in done.out.splitlines())
    mime, data = arrived(llm_server.asked[0])
    assert (
        mime == "image/jpeg" and hashlib.sha256(data).digest() == hashlib.sha256(as_image(seen(rocket)).data).digest()
    )


def test_as_json(describe: Describe, rocket: Path) -> None:
    found = describe("gemini", reply(said("gemini", REPLY)), *ASK, "--json", image=rocket).json
    picture, image = seen(rocket), as_image(seen(rocket))
    assert found == {
        "image": {
            "name": "rocket.jpg", "format": "JPEG", "width": 96, "height": 64, "digest": picture.digest, "notes": [],
            "sent": {"mime": "image/jpeg", "width": 96, "height": 64, "bytes": len(image.data)},
        },
        "query": {"original": WORDS, "used": WRITTEN}, "shows": SHOWS, "provider": "gemini", "model": "served-model",
        "by_rule": False, "usage": {"prompt_tokens": 40, "completion_tokens": 9, "calls": 1}, "notices": [],
    }  # fmt: skip


def test_the_picture_alone_asks(describe: Describe, llm_server: Server) -> None:
    done = describe("gemini", reply(said("gemini", REPLY)))
    assert done.status == 0 and f'none → "{WRITTEN}"' in " ".join(done.out.split())
    assert llm_server.asked[0].body["contents"][-1]["parts"][0]["text"] == 'Request: ""'


def test_a_file_is_what_it_holds_not_what_it_is_called(describe: Describe, llm_server: Server, tmp_path: Path) -> None:
    found = describe("openai", reply(said("openai", REPLY)), *ASK, "--json", image=png(tmp_path / "x.jpg")).json
    assert found["image"]["format"] == "PNG" and found["image"]["sent"]["mime"] == "image/png"
    assert arrived(llm_server.asked[0])[0] == "image/png" and any(
        "named .jpg" in note for note in found["image"]["notes"]
    )


# Search


def test_a_search_with_the_words_that_come_of_it(describe: Describe, tmp_path: Path) -> None:
    done = describe("gemini", reply(said("gemini", REPLY)), *ASK, "--search", "--limit", "2", "--debug")
    assert done.status == 0, done.err
    text = " ".join(done.out.split())
    assert f'"{WORDS}" → "{WRITTEN}"' in text and "1. (1) Apollo 13" in text
    assert f'picture rocket.jpg + "{WORDS}" → words "{WRITTEN}"' in text and "terms " in text and "ms: vision" in text
    assert text.index("shows ") < text.index("keyword (") < text.index("1. (1)") < text.index("→ words")
    assert f'hybrid_search_cli explain "{WRITTEN[:29].rstrip()}' in text  # no command explains a picture's words
    assert "--debug" not in text
    (log,) = (tmp_path / "logs").glob("*.json")
    assert json.loads(log.read_bytes())["command"] == "describe_image_cli"


def test_a_search_as_json_has_the_same_beside_it(describe: Describe, tmp_path: Path) -> None:
    found = describe(
        "openai", reply(said("openai", REPLY)), *ASK, "--search", "--limit", "2", "--json", "--no-log"
    ).json
    assert found["results"][0]["title"] == "Apollo 13" and len(found["results"]) == 2
    assert (found["query"]["original"], found["query"]["used"]) == (WORDS, WRITTEN)
    assert found["image"]["sent"]["mime"] == "image/jpeg" and found["shows"] == SHOWS and found["by_rule"] is False
    assert (found["provider"], found["model"]) == ("openai", "served-model") and found["usage"]["prompt_tokens"] == 40
    assert found["plan"]["enhance"] == {"layer": "vision"} and found["enhance"]["shows"] == SHOWS
    assert "path" not in found["query"]["picture"] and str(tmp_path) not in json.dumps(found["query"])
    assert not (tmp_path / "logs").exists()


def test_the_search_takes_what_rrf_search_takes(describe: Describe) -> None:
    answer = reply(said("gemini", REPLY))
    found = describe("gemini", answer, *ASK, "--search", "--json", "--exclude", "1", "-k", "7").json
    assert 1 not in [result["id"] for result in found["results"]] and found["plan"]["fuse"]["k"] == 7
    shown = describe("gemini", answer, "--search", "--show-plan", "--preset", "best").out
    assert '[enhance]\nlayer = "vision"' in shown and 'layer = "understand"' not in shown
    shown = describe("gemini", answer, "--search", "--show-plan", "--vectors", "document", image=Path("nowhere")).out
    assert 'layer = "vision"' in shown and 'layer = "document"' in shown


def test_the_judge_and_the_reranker_read_the_words_that_come_of_it(describe: Describe, llm_server: Server) -> None:
    ranked = json.dumps({"ranking": [{"id": 2, "why": "b"}, {"id": 1, "why": "a"}]})
    grades = json.dumps({"grades": [{"id": 1, "grade": 3, "why": "yes"}]})
    answers = [reply(said("gemini", text)) for text in (REPLY, ranked, grades)]
    done = describe("gemini", answers, "--search", "--rerank", "batch", "--evaluate", "--limit", "1", "--json")
    assert done.status == 0 and done.json["judged"][0]["grade"] == 3
    texts = [asked.body["contents"][-1]["parts"][0]["text"] for asked in llm_server.asked]
    assert texts[0] == 'Request: ""' and all(WRITTEN in text for text in texts[1:]) and len(texts) == 3
    assert [len(asked.body["contents"][-1]["parts"]) for asked in llm_server.asked] == [2, 1, 1]


# Nothing here can see


@pytest.mark.parametrize("llm", [(), ("--llm", "none")])
def test_without_a_model_it_says_that_it_has_no_eyes(cli: Run, rocket: Path, llm: tuple[str, ...]) -> None:
    done = cli("describe_image_cli", "--image", str(rocket), *ASK, *llm)
    text = " ".join(done.out.split())
    assert done.status == 0 and "not sent" in text and f'"{WORDS}", as it was asked' in text
    assert "by rule nothing here can see the picture: set GEMINI_API_KEY" in text
    assert "nothing here can see the picture: the words alone are searched" in done.err
    quiet = cli("describe_image_cli", "--image", str(rocket), *ASK, *llm, "-q", "--json")
    assert quiet.err == "" and quiet.json["by_rule"] is True and quiet.json["image"]["sent"] is None
    assert quiet.json["provider"] is quiet.json["model"] is quiet.json["shows"] is None
    assert quiet.json["query"] == {"original": WORDS, "used": WORDS} and len(quiet.json["notices"]) == 1


def test_without_a_model_the_words_are_searched_as_they_are(
    cli: Run, rocket: Path, catalogue: Any, tmp_path: Path
) -> None:
    films = catalogue("A wizard goes to school.", "A school of fish.", "A ship at sea.")
    more = ("--json", "--dataset", str(films))
    picture = ("--image", str(rocket), "--query", "wizard school", "--search")
    found = cli("describe_image_cli", *picture, *more, cache=tmp_path / "cache").json
    plain = cli("hybrid_search_cli", "rrf-search", "wizard school", *more, cache=tmp_path / "cache").json
    assert [one["id"] for one in found["results"]] == [one["id"] for one in plain["results"]]
    assert found["by_rule"] is True and any("nothing here can see" in notice for notice in found["notices"])


@pytest.mark.parametrize("search", [(), ("--search",)])
def test_without_a_model_or_words_there_is_nothing_to_do(cli: Run, rocket: Path, search: tuple[str, ...]) -> None:
    done = cli("describe_image_cli", "--image", str(rocket), *search)
    assert done.status == 2 and done.out == "" and len(done.err.splitlines()) == 1
    assert "nothing here can see the picture, and there are no words to search with; add --query TEXT" in done.err


# Failures


def filtered(provider: str) -> Any:
    return reply(said(provider, None, "SAFETY" if provider == "gemini" else "content_filter"))


def gone(provider: str) -> Any:
    return reply(NO_MODEL, 404) if provider == "gemini" else reply(DECOMMISSIONED, 400)


PROBLEMS = {
    "blocked": ("refused", filtered),
    "empty": ("bad_reply", lambda provider: reply(said(provider, ""))),
    "cut off": ("bad_reply", lambda provider: reply(said(provider, '{"shows": "A', "length"))),
    "malformed": ("bad_reply", lambda provider: reply(said(provider, '{"shows": A}'))),
    "half": ("bad_reply", lambda provider: reply(said(provider, '{"shows": "A"}'))),
    "no picture seen": ("bad_reply", lambda provider: reply(said(provider, "I don't see an image. Upload it."))),
    "a portal": ("bad_reply", lambda provider: reply(b"<html>log in</html>")),
    "gone": ("model_gone", gone),
    "too many": ("rate_limited", lambda provider: reply(MINUTE, 429, {"retry-after": "900"})),
    "down": ("unavailable", lambda provider: reply(error("down"), 503)),
    "no key": ("wrong_key", lambda provider: reply(error("Invalid API Key"), 401)),
    "too large": ("too_long", lambda provider: reply(error("Request Entity Too Large"), 413)),
}  # fmt: skip


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("provider", ALL)
def test_whatever_goes_wrong_the_words_stand_and_the_status_tells(
    describe: Describe, provider: str, problem: str
) -> None:
    kind, answer = PROBLEMS[problem]
    done = describe(provider, answer(provider), *ASK, "--json")
    assert done.status == 3 and done.json["failed"]["kind"] == kind, (done.out, done.err)
    assert done.json["query"] == {"original": WORDS, "used": WORDS} and done.json["shows"] is None
    assert "enhance failed" in done.err and done.json["notices"] and done.json["by_rule"] is False


@pytest.mark.parametrize("server", BLIND)
def test_a_server_without_eyes_is_told_from_a_failing_one(describe: Describe, server: str) -> None:
    provider, status, body = BLIND[server]
    done = describe(provider, reply(body, status), *ASK, "--json")
    assert done.status == 3 and done.json["failed"]["kind"] == "no_vision" and "--llm-model" in done.err
    text = " ".join(describe(provider, reply(body, status), *ASK, "-q").out.split())
    assert "failed" in text and "reads text only" in text and "the words stand as they were asked" in text


@pytest.mark.parametrize("problem", ["blocked", "too many", "gone"])
def test_a_failure_is_no_exit_status_where_nobody_was_named(describe: Describe, problem: str) -> None:
    done = describe("gemini", PROBLEMS[problem][1]("gemini"), *ASK, "--search", named=False)
    assert done.status == 0 and "Shallow" in done.out and "its input stands" in done.err


@pytest.mark.parametrize("search", [(), ("--search",)])
@pytest.mark.parametrize("named", [True, False])
def test_a_failure_with_no_words_is_one_clear_line(describe: Describe, search: tuple[str, ...], named: bool) -> None:
    done = describe("gemini", reply(said("gemini", None, "SAFETY")), *search, named=named)
    assert done.status == 3 and done.out == "" and len(done.err.splitlines()) == 1
    assert "blocked" in done.err and "add --query TEXT" in done.err
    done = describe("gemini", reply(said("gemini", "")), *search, "--json", named=named)
    assert json.loads(done.err)["error"]["kind"] == "bad_reply" and done.out == ""


def test_groq_is_not_sent_a_picture_that_its_model_cannot_see(describe: Describe, llm_server: Server) -> None:
    usual = "openai/gpt-oss-120b"
    done = describe("groq", reply(said("groq", REPLY)), *ASK, model=usual)
    assert done.status == 3 and llm_server.asked == [] and "reads text only" in done.out
    assert "--llm-model" in done.err and "--llm gemini" in done.err
    found = describe("groq", reply(said("groq", REPLY)), *ASK, "--json", named=False, model=usual)
    assert found.status == 0 and found.json["by_rule"] is True and llm_server.asked == []
    assert "the model there reads text only" in found.err


# What is shown, kept and counted


@pytest.mark.parametrize("more", [(), ASK, ("--search",), (*ASK, "--search", "--rerank", "batch")])
def test_show_prompt_sends_nothing_and_shows_no_byte(
    describe: Describe, llm_server: Server, rocket: Path, more: tuple[str, ...]
) -> None:
    done = describe("gemini", reply(said("gemini", REPLY)), *more, "--show-prompt", image=rocket)
    assert done.status == 0 and llm_server.asked == [] and done.err == ""
    assert "[picture rocket.jpg: image/jpeg, 96 × 64, " in done.out and "base64" not in done.out
    prompts = describe("gemini", reply(b""), *more, "--show-prompt", "--json", image=rocket).json["prompts"]
    (image,) = prompts[0]["messages"][-1]["images"]
    assert image["name"] == "rocket.jpg" and image["bytes"] == len(as_image(seen(rocket)).data) and "data" not in image
    assert len(prompts) == (2 if "--rerank" in more else 1) and "images" not in prompts[0]["messages"][0]
    assert all("images" not in message for one in prompts[1:] for message in one["messages"])


@pytest.mark.parametrize("provider", ALL)
def test_a_recorded_reply_is_replayed_without_key_or_server(
    describe: Describe, llm_server: Server, cli: Run, rocket: Path, tmp_path: Path, provider: str
) -> None:
    kept = tmp_path / "kept"
    first = describe(provider, reply(said(provider, REPLY)), *ASK, "--record", str(kept), "--json", image=rocket).json
    llm_server.gives(reply(b"nobody may be asked", 500))
    again = cli("describe_image_cli", "--image", str(rocket), *ASK, "--replay", str(kept), "--json")
    assert again.status == 0 and len(llm_server.asked) == 1
    assert {**again.json, "usage": 0} == {**first, "usage": 0} and again.json["usage"]["prompt_tokens"] == 40
    text = cli("describe_image_cli", "--image", str(rocket), *ASK, "--replay", str(kept)).out
    assert "not sent: the reply was recorded" in " ".join(text.split())
    other = cli("describe_image_cli", "--image", str(png(tmp_path / "b.png")), *ASK, "--replay", str(kept), "--json")
    assert other.json["failed"]["kind"] == "no_recording"  # unless its pixels are the same, a picture is another
    (file,) = kept.iterdir()
    asked = json.loads(file.read_bytes())["request"]["messages"][-1]
    assert asked["images"] == [{"mime": "image/jpeg", "width": 96, "height": 64, "digest": seen(rocket).digest}]


def test_the_same_pixels_are_the_same_picture_however_they_are_packed(
    describe: Describe, cli: Run, tmp_path: Path
) -> None:
    kept, one = tmp_path / "kept", png(tmp_path / "a.png")
    describe("gemini", reply(said("gemini", REPLY)), *ASK, "--record", str(kept), image=one)
    from PIL import Image

    Image.open(one).save(tmp_path / "b.bmp")
    done = cli("describe_image_cli", "--image", str(tmp_path / "b.bmp"), *ASK, "--replay", str(kept), "--json")
    assert done.status == 0 and done.json["query"]["used"] == WRITTEN


def test_budgets_hold(describe: Describe, llm_server: Server) -> None:
    answer = reply(said("gemini", REPLY))
    done = describe("gemini", answer, *ASK, "--max-tokens-total", "500", "--json")
    assert done.status == 3 and done.json["failed"]["kind"] == "budget_spent" and llm_server.asked == []
    assert describe("gemini", answer, *ASK, "--max-tokens-total", "1000").status == 0
    done = describe("gemini", answer, *ASK, "--search", "--rerank", "batch", "--max-calls", "1", "--json")
    assert done.status == 3 and done.json["query"]["used"] == WRITTEN and "calls are used up" in done.err


# Usage


@pytest.mark.parametrize(
    ("args", "said_so"),
    [
        ((), "Missing option '--image'"),
        (("--image", "nowhere.png", "--query", "x"), "nowhere.png"),
        (("--image", "<rocket>", "--query", "?!"), "holds no word"),
        (("--image", "<rocket>", "--query", "x", "--limit", "3"), "--limit: of use to a search only; add --search"),
        (("--image", "<rocket>", "--query", "x", "--debug", "--rerank", "batch"), "add --search"),
        (("--image", "<rocket>", "--query", "x", "--enhance", "spell"), "No such option"),
        (("--image", "<rocket>", "--query", "x", "--llm", "magic"), 'no provider "magic"'),
        (("words", "--image", "<rocket>"), "unexpected extra argument"),
        (("--image", "<rocket>", "--search", "--query", "x", "--alpha", "1"), "No such option"),
    ],
)
def test_wrong_usage_is_one_line(cli: Run, rocket: Path, args: tuple[str, ...], said_so: str) -> None:
    given = [str(rocket) if arg == "<rocket>" else arg for arg in args]
    done = cli("describe_image_cli", *given) if args else cli("describe_image_cli", "--query", "x")
    assert done.status == 2 and done.out == "" and said_so in done.err, done.err
    assert len(done.err.splitlines()) == 1


def test_no_other_command_takes_the_layer(cli: Run) -> None:
    done = cli("hybrid_search_cli", "rrf-search", "wizard", "--enhance", "vision")
    assert done.status == 2 and "the query has no picture" in done.err and "describe_image_cli --image" in done.err
    wrong = cli("hybrid_search_cli", "rrf-search", "wizard", "--enhance", "magic")
    assert wrong.status == 2 and "structure, none" in wrong.err and "vision" not in wrong.err


def test_help_has_the_houses_panels(cli: Run) -> None:
    out = cli("describe_image_cli", "--help").out
    panels = [line.split("─ ")[1].split(" ─")[0] for line in out.splitlines() if line.startswith("╭─ ")]
    assert panels == ["This layer", "Language model", "The search", "Everywhere"]
    assert "--image" in out and "--search" in out and "--enhance" not in out
    assert cli("describe_image_cli").out == out


def test_text_from_outside_is_drawn_without_control_characters(describe: Describe, tmp_path: Path) -> None:
    shows = json.dumps({"shows": "A \x1b[31mred\x07 rocket", "query": "a rocket"})
    done = describe("gemini", reply(said("gemini", shows)), *ASK, image=jpeg(tmp_path / "od\x1bd.jpg"))
    assert done.status == 0 and "\x1b" not in done.out and "\x07" not in done.out


def test_nothing_is_imported_that_is_not_needed(rocket: Path, shared_cache: Path, tmp_path: Path, films: Any) -> None:
    from tests.test_imports import loaded_by

    args = ["--image", str(rocket), "--query", "a rocket"]
    loaded = loaded_by("describe_image_cli", args, shared_cache, tmp_path)
    assert not loaded & {"torch", "transformers", "httpx", "groq", "google", "pydantic", "scipy", "nltk"}
