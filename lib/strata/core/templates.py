"""Which of a catalogue's fields make the text that a layer sees.

Keyword text: `title. genres. director. cast. description`. Vector text: `title. genres. description`. Fields that a
document lacks are left out. A collection in BEIR layout has only `title text`, as its publishers index it.
"""

from __future__ import annotations

from dataclasses import dataclass

from strata.core.premise import before
from strata.core.types import Document


@dataclass(frozen=True)
class Template:
    """keyword, vector: the fields before the description, in order (a premise, if any, is between them); joiner: what
    stands between parts; listed: what stands between the entries of a list where an encoder reads them.

    Encoders are touchy there: on the bundled golden set, blanks instead of commas between genres move bge-small's
    nDCG@10 from .505 to .540 and MiniLM's from .431 to .420, less than its 63 queries can tell from chance. Blanks are
    what the figures to compare with were measured with.
    """

    name: str
    keyword: tuple[str, ...]
    vector: tuple[str, ...]
    joiner: str = ". "
    listed: str = " "

    def keyword_text(self, document: Document) -> str:
        return self._join(document, self.keyword, ", ")

    def vector_text(self, document: Document) -> str:
        return self._join(document, self.vector, self.listed)

    def _join(self, document: Document, names: tuple[str, ...], listed: str) -> str:
        parts = [as_text(document.title if name == "title" else document.fields.get(name), listed) for name in names]
        filled = [part for part in (*parts, before(document.premise, document.text.strip())) if part]
        if self.joiner == " ":
            return " ".join(filled)
        # No doubled full stop after "Monsters, Inc."
        return "".join(
            part + ("" if last else " " if part.endswith((".", "!", "?", "…")) else self.joiner)
            for part, last in ((part, i == len(filled) - 1) for i, part in enumerate(filled))
        )


def as_text(value: object, listed: str = ", ") -> str:
    """A field as words: lists with commas, nothing for what is empty."""
    if isinstance(value, list):
        return listed.join(filter(None, map(as_text, value)))
    return "" if value is None or isinstance(value, dict) else str(value).strip()


FILMS = Template("films/2", ("title", "genres", "director", "cast"), ("title", "genres"))
PLAIN = Template("title-text/1", ("title",), ("title",), " ")
TEMPLATES = {template.name: template for template in (FILMS, PLAIN)}


def template_for(loader: str) -> Template:
    """The template of a catalogue, by the loader that reads it."""
    return PLAIN if loader == "beir" else FILMS
