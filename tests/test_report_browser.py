"""The report in a real browser, headless Chromium: light and dark, a phone's width and a screen's, nothing fetched."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from strata.pipeline.workspace import Workspace
from strata.reporting.page import write
from tests.reports import hostile_bench, plain_bench

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
MODES = {"dark": "--blink-settings=preferredColorScheme=0", "light": "--blink-settings=preferredColorScheme=1"}

# What a reader's browser is asked, in a copy of the page. The page's own policy lets no script run; here it may.
ASK = """<script>
const refused = [];
document.addEventListener("securitypolicyviolation", event => refused.push(event.violatedDirective));
addEventListener("load", () => setTimeout(() => {
  for (const one of document.querySelectorAll("details")) if (!one.matches(".query")) one.open = true;
  const root = document.documentElement, shown = document.querySelector("#query-2");
  const texts = [...document.querySelectorAll("svg.chart text")];
  const told = {
    width: root.clientWidth, needed: root.scrollWidth,
    outside: [...document.querySelectorAll("body *")].filter(one => !one.closest(".scroll, figure, pre, .skip")
      && one.getBoundingClientRect().right > root.clientWidth + 1).map(one => one.tagName + "." + one.className),
    wide: [...document.querySelectorAll(".scroll, figure, pre")].filter(one => one.scrollWidth > one.clientWidth + 1
      && getComputedStyle(one).overflowX !== "auto").length,
    boxes: [...document.querySelectorAll(".scroll")].filter(one => one.scrollWidth > one.clientWidth + 1).length,
    smallest: Math.min(...texts.map(one => one.getBoundingClientRect().height)),
    cut: texts.filter(one => {
      const box = one.getBoundingClientRect(), all = one.closest("svg").getBoundingClientRect();
      return box.left < all.left - 1 || box.right > all.right + 1 }).map(one => one.textContent),
    ground: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.body).color,
    chart: getComputedStyle(texts[0]).fill, shade: getComputedStyle(document.querySelector(".h10")).backgroundColor,
    opened: shown.closest("details").open, others: document.querySelectorAll("details.query[open]").length,
    fetched: performance.getEntriesByType("resource").map(one => one.name), refused, title: document.title,
  };
  parent.postMessage(JSON.stringify(told), "*");
}, 50));
</script>
"""
# Windows are never as narrow as a phone; frames are.
FRAME = """<!DOCTYPE html><meta name="color-scheme" content="light dark"><pre id="told"></pre><script>
addEventListener("message", event => document.querySelector("#told").textContent = event.data);
</script><iframe src="asked.html#query-2" width="%d" height="800" style="border: 0"></iframe>
"""


def run(path: Path, mode: str, *more: str) -> subprocess.CompletedProcess[str]:
    assert CHROMIUM
    command = [CHROMIUM, *QUIET, MODES[mode], f"--user-data-dir={path.parent / 'profile'}", *more, path.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)


def told(path: Path, mode: str, width: int) -> dict[str, Any]:
    """What the browser says of a page, its second query asked for."""
    text = path.read_text(encoding="utf-8")
    assert text.count("default-src 'none';") == 1
    allowed = text.replace("default-src 'none';", "default-src 'none'; script-src 'unsafe-inline';")
    path.with_name("asked.html").write_text(allowed.replace("</head>", ASK + "</head>"), encoding="utf-8")
    frame = path.with_name("frame.html")
    frame.write_text(FRAME % width, encoding="utf-8")
    done = run(frame, mode, "--window-size=1300,900", "--dump-dom", "--virtual-time-budget=5000")
    found = re.search(r'<pre id="told">(.+?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:]
    answer: dict[str, Any] = json.loads(html.unescape(found[1]))
    return answer


def brightness(colour: str) -> float:
    return sum(map(float, re.findall(r"[\d.]+", colour)[:3])) / 3


@pytest.fixture
def opened(catalogue: Callable[..., Path], workspace: Callable[[Path], Workspace]) -> Callable[..., Workspace]:
    if not CHROMIUM:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    return lambda *entries: workspace(catalogue(*entries))


def check(found: dict[str, Any], mode: str, width: int) -> None:
    assert found["width"] == width and found["needed"] == width and not found["outside"] and not found["wide"]
    assert not found["fetched"] and not found["refused"]
    assert found["smallest"] >= 9 and not found["cut"]
    ground, ink, chart = (brightness(found[part]) for part in ("ground", "ink", "chart"))
    assert (ground < 60 < ink and chart > 128) if mode == "dark" else (ground > 230 > 60 > ink and chart < 128)
    assert found["opened"] and found["others"] == 1  # a link to a query opens it, and it alone


def test_a_page_in_the_dark_on_a_screen(opened: Callable[..., Workspace], tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write(path, plain_bench(opened).page())
    found = told(path, "dark", 1280)
    check(found, "dark", 1280)
    assert brightness(found["shade"]) < 128  # light letters stand on it


def test_a_page_of_hostile_texts_in_the_light_on_a_phone(opened: Callable[..., Workspace], tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write(path, hostile_bench(opened).page())
    found = told(path, "light", 360)
    check(found, "light", 360)
    assert found["boxes"] > 3 and found["title"].startswith(("<script>", "bm25", "No layer"))


def test_a_page_is_drawn(opened: Callable[..., Workspace], tmp_path: Path) -> None:
    """As it is, with its own policy: a picture of it has the ground's colour, letters' and a layer's."""
    from PIL import Image

    path, picture = tmp_path / "report.html", tmp_path / "page.png"
    write(path, plain_bench(opened).page())
    run(path, "dark", "--window-size=360,900", f"--screenshot={picture}")
    with Image.open(picture) as image:
        colours = {colour for _, colour in image.convert("RGB").getcolors(1 << 24) or []}
    assert image.size == (360, 900)
    assert {(0x13, 0x16, 0x19), (0xE9, 0xE6, 0xE0), (0x63, 0xCB, 0xC6)} <= colours
