"""Catalogues: which there are, what is in them, which one is searched."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from strata import flags, model_flags
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
    """One document with all its fields, and its premise, if it has one."""
    from strata.core.premise import to_json
    from strata.show.catalogue import document

    corpus = common.workspace(enriched=True).corpus
    found = corpus.document(corpus.find(doc_id))
    data = {
        "id": found.id, "title": found.title, "text": found.text, "fields": found.fields,
        "premise": to_json(found.premise, corpus) if found.premise else None,
    }  # fmt: skip
    common.emit(data, lambda: document(found, corpus))


@app.run("use")
def use(common: Common, catalogue: Annotated[str, typer.Argument(metavar="NAME|PATH", help="A catalogue.")]) -> None:
    """Search this catalogue from now on (STRATA_DATASET and --dataset still win)."""
    from strata.core.listing import use

    # Its settings name the catalogue, so that a former choice which cannot be read is replaced, not met.
    name = use(catalogue, replace(common, dataset=catalogue).settings(), common.say)
    common.emit({"dataset": name}, lambda: [f"From now on searches go to {name}."])


@app.run("import")
def import_(
    common: Common,
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="Lessons' JSON, JSON lines, CSV, or a BEIR folder.")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="What to call it; default: the file's name.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Take it in place of the former of that name.")] = False,
    update: Annotated[
        bool, typer.Option("--update", help="Change the catalogue: FILE's entries replace those with their ids.")
    ] = False,
    remove: Annotated[
        list[str] | None,
        typer.Option("--remove", metavar="DOC_ID", help="With --update: take this document out; repeatable."),
    ] = None,
) -> None:
    """Check a catalogue as a whole and keep a copy under a name; or change the copy that is there (--update)."""
    from strata.core.importing import bring_in
    from strata.core.updating import change
    from strata.errors import UsageError
    from strata.show.catalogue import updated

    if update and replace:
        raise UsageError("--update changes a catalogue, --replace puts another in its place", "give one of them")
    if update:
        changed = change(file, name, remove or [], common.settings(), common.say).to_json()
        common.emit(changed, lambda: updated(changed))
        return
    if remove:
        raise UsageError("--remove takes a document out of a catalogue that is there", "add --update")
    if file is None:
        raise UsageError("FILE is missing", "name a catalogue's file, or a folder in BEIR layout")
    done = bring_in(file, name, common.say, replace=replace)
    data = {"name": done.name, "documents": done.documents, "path": str(done.folder), "files": list(done.files)}
    text = f"{done.documents:,} documents are now the catalogue {done.name}. Search it: --dataset {done.name}"
    common.emit(data, lambda: [text])


@app.run("fetch")
def fetch(
    common: Common,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A public set; without it: a list.")] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the known sets, with size and licence.")] = False,
    given: Annotated[
        str | None,
        typer.Option("--from", metavar="PATH", help="Take the files from this folder (or file), downloaded by hand."),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", metavar="URL", help="Fetch from a mirror: the address of its folder.")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Fetch anew, in place of the former.")] = False,
) -> None:
    """Fetch a public set into a catalogue of its own; licence and credit stay with it. Proxies: HTTPS_PROXY."""
    from strata.core import fetch
    from strata.show.catalogue import fetchable, fetched

    if list_ or name is None:
        rows = fetch.sets()
        common.emit({"sets": rows}, lambda: fetchable(rows))
        return
    done = fetch.fetch(name, common.say, common.progress, base_url=base_url, given=given, replace=replace).to_json()
    common.emit(done, lambda: fetched(done))


@app.run("enrich")
def enrich(
    common: Common,
    list_: Annotated[bool, typer.Option("--list", help="Show every premise, change nothing.")] = False,
    remove: Annotated[
        bool, typer.Option("--remove", help="Use none any more, and forget what a language model wrote.")
    ] = False,
    llm: model_flags.Llm = "none",
    llm_model: model_flags.LlmModel = None,
    record: model_flags.Record = None,
    replay: model_flags.Replay = None,
    max_calls: model_flags.MaxCalls = None,
    max_tokens_total: model_flags.MaxTokens = None,
    show_prompt: model_flags.ShowPrompt = False,
) -> None:
    """Premises for entries that hold nothing to find: their franchise's story, which searches may read before the text.

    By rule from the first entry of the franchise, or with --llm in a language model's words. The text stays as it is.
    """
    from strata.enriching import enrich
    from strata.llm.opening import Choice

    provider = "replay" if replay and llm == "none" else llm
    choice = Choice(provider, llm_model, record, replay, max_calls, max_tokens_total)
    enrich(common, choice, listed=list_, remove=remove, show_prompt=show_prompt)


@app.run("check")
def check(common: Common) -> None:
    """Read the whole catalogue and say what is odd about it."""
    from strata.core.audit import audit
    from strata.show.catalogue import audited

    found = audit(common.workspace().corpus)
    common.emit(found, lambda: audited(found))


if __name__ == "__main__":
    app()
