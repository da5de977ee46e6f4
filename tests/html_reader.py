"""HTML read strictly: every tag must be closed in its turn, as browsers would otherwise guess."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "img", "input", "hr"}
RAW = {"style", "script"}


@dataclass
class Element:
    """text: of all that it holds but style sheets, runs of white space as one blank."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element] = field(default_factory=list)
    pieces: list[Element | str] = field(default_factory=list)

    def every(self, tag: str = "") -> list[Element]:
        """The elements within, in order; only those of a tag where one is given."""
        found = []
        for child in self.children:
            found += [child] if tag in ("", child.tag) else []
            found += child.every(tag)
        return found

    @property
    def text(self) -> str:
        return " ".join(self._raw().split())

    def _raw(self) -> str:
        if self.tag in RAW:
            return ""
        return "".join(piece if isinstance(piece, str) else piece._raw() for piece in self.pieces)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"{tag} has an attribute twice: {names}"
        self._add(Element(tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(self._open[-1].children[-1])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert any(one.tag == "svg" for one in self._open), f"<{tag}/> outside SVG"
        self._add(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open[-1].tag == tag, f"</{tag}> within <{self._open[-1].tag}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1].pieces.append(data)

    def _add(self, element: Element) -> None:
        self._open[-1].children.append(element)
        self._open[-1].pieces.append(element)


def read(text: str) -> Element:
    """The document's root; AssertionError for tags that do not match."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert len(reader._open) == 1, f"<{reader._open[-1].tag}> is never closed"
    return reader.root
