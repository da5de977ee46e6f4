"""Catalogues: which there are, what is in them, which one is searched."""

from __future__ import annotations

from typing import Annotated

import typer

from strata import flags
from strata.shell import Common, Program

app = Program("data_cli", help=__doc__ or "")


@app.run("list")
def list_(common: Common) -> None:
    """The known catalogues; * marks the one in use."""
    from strata.core.listing import known
    from strata.show.catalogue import datasets

    rows = known(common.settings(), common.say)
    common.emit({"datasets": rows}, lambda: datasets(rows))


@app.run("show")
def show(common: Common, doc_id: flags.DocRef) -> None:
    """One document with all its fields."""
    from strata.show.catalogue import document

    corpus = common.workspace().corpus
    found = corpus.document(corpus.find(doc_id))
    data = {"id": found.id, "title": found.title, "text": found.text, "fields": found.fields}
    common.emit(data, lambda: document(found))


@app.run("use")
def use(common: Common, catalogue: Annotated[str, typer.Argument(metavar="NAME|PATH", help="A catalogue.")]) -> None:
    """Search this catalogue from now on (STRATA_DATASET and --dataset still win)."""
    from strata.core.listing import use

    name = use(catalogue, common.settings(), common.say)
    common.emit({"dataset": name}, lambda: [f"From now on searches go to {name}."])


@app.run("import")
def import_(
    common: Common,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Lessons' JSON, JSON lines, CSV, or a BEIR folder.")],
    name: Annotated[str | None, typer.Option("--name", help="What to call it; default: the file's name.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Take it in place of the former of that name.")] = False,
) -> None:
    """Check a catalogue as a whole and keep a copy under a name."""
    from strata.core.importing import bring_in

    done = bring_in(file, name, common.say, replace=replace)
    data = {"name": done.name, "documents": done.documents, "path": str(done.folder), "files": list(done.files)}
    text = f"{done.documents:,} documents are now the catalogue {done.name}. Search it: --dataset {done.name}"
    common.emit(data, lambda: [text])


@app.run("check")
def check(common: Common) -> None:
    """Read the whole catalogue and say what is odd about it."""
    from strata.core.audit import audit
    from strata.show.catalogue import audited

    found = audit(common.workspace().corpus)
    common.emit(found, lambda: audited(found))


if __name__ == "__main__":
    app()
