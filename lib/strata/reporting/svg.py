"""A matplotlib figure as an SVG element for a page that has a light and a dark mode.

What a chart draws is coloured with stand-ins, which become the page's CSS variables here, so that one drawing serves
both modes. Text stays text. The same figure gives the same bytes.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from markupsafe import Markup

from strata.show.text import cut

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.ticker import Locator

INK, MUTED, LINE, ACCENT, WARM, CARD = (f"#01fe1{n}" for n in range(6))
"""Stand-ins. A chart uses no other colour."""
_VARIABLES = {INK: "--ink", MUTED: "--muted", LINE: "--line", ACCENT: "--accent", WARM: "--warm", CARD: "--card"}

WIDE, NARROW = 480.0, 250.0
"""Points. A narrow chart fits a phone; a wide one scrolls there, in its own box."""

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "strata",
    "text.parse_math": False,
    "text.color": INK,
    "font.size": 9.0,
    "axes.edgecolor": LINE,
    "axes.labelcolor": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": LINE,
    "ytick.color": LINE,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": MUTED,
    "lines.solid_capstyle": "round",
}
_SVG, _XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
_FONT = re.compile(r"font-family: [^;]*;? ?")
_NUMBER = re.compile(r"-?\d+\.\d{3,}")


@contextmanager
def drawing(width: float, height: float) -> Iterator[Figure]:
    """A figure of this size, in points, with the page's style, whatever settings of matplotlib's the user has."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with matplotlib.rc_context(), warnings.catch_warnings():
        # The reader's browser has its own fonts; matplotlib's are only measured with.
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        figure = Figure(figsize=(width / 72, height / 72), dpi=72)
        FigureCanvasSVG(figure)
        yield figure


def few_ticks() -> Locator:
    """At most five round numbers along an axis."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(4)


def width_of(text: str, size: float = 9.0, *, bold: bool = False) -> float:
    """Points that a line of text takes in matplotlib's font, which is wider than most."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight="bold" if bold else "normal")
    return float(text_to_path.get_text_width_height_descent(text, font, False)[0])


def fitted(text: str, points: float, size: float = 9.0, *, bold: bool = False) -> str:
    """The text, or as much of it as so many points hold, with … for the rest. To be called within `drawing`."""
    columns = len(text)
    while columns > 1 and width_of(cut(text, columns), size, bold=bold) > points:
        columns -= 1
    return cut(text, columns)


def inline(figure: Figure, name: str, title: str, description: str) -> Markup:
    """The figure as an element, to be made within `drawing`. name: what its ids begin with, one for each chart of a
    page. title, description: for those who do not see it."""
    buffer = io.BytesIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(buffer, format="svg", transparent=True, metadata=nothing)
    root = ElementTree.fromstring(buffer.getvalue())
    _plainly_named(root)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ("metadata", "style"):  # the style is for every element of the page
                parent.remove(child)
    _own_ids(root, name)
    for element in root.iter():
        for key in ("style", "d", "x", "y", "transform"):
            if key in element.attrib:
                element.set(key, _shortened(element.attrib[key]))
    width, height = (float(part) for part in root.attrib["viewBox"].split()[2:])
    root.attrib = {
        "class": "chart",
        "role": "img",
        "viewBox": root.attrib["viewBox"],
        "style": f"--w:{width:.0f};--h:{height:.0f}",
        "aria-labelledby": f"{name}-title {name}-desc",
    }
    for place, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = ElementTree.Element(tag, {"id": f"{name}-{tag}"})
        element.text, element.tail = text, "\n"
        root.insert(place, element)
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _plainly_named(root: ElementTree.Element) -> None:
    """Names without their namespaces: within HTML there are none."""
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SVG)
        for key in [key for key in element.attrib if key.startswith(_XLINK)]:
            element.set(key.removeprefix(_XLINK), element.attrib.pop(key))


def _own_ids(root: ElementTree.Element, name: str) -> None:
    """Ids that are referred to get a name of this chart's own; the others go."""
    referring = re.compile(r"(?<=url\(#)[\w.-]+(?=\))|^#[\w.-]+$")
    used = dict.fromkeys(
        found.lstrip("#")
        for element in root.iter()
        for key, value in element.attrib.items()
        if key != "id"
        for found in referring.findall(value)
    )
    names = {id: f"{name}-{n}" for n, id in enumerate(used)}
    for element in root.iter():
        own = element.attrib.pop("id", "")
        if own in names:
            element.set("id", names[own])
        for key, value in element.attrib.items():
            if key != "id":
                element.set(key, referring.sub(lambda found: _renamed(found[0], names), value))


def _renamed(found: str, names: dict[str, str]) -> str:
    return ("#" if found.startswith("#") else "") + names[found.lstrip("#")]


def _shortened(value: str) -> str:
    """Colours as variables, no fonts, numbers to a hundredth of a point."""
    for stand_in, variable in _VARIABLES.items():
        value = value.replace(stand_in, f"var({variable})")
    value = _NUMBER.sub(lambda found: f"{float(found[0]):.2f}", _FONT.sub("", value))
    return " ".join(value.split())
