"""`strata`: the layers, one command each, and what to try first; `strata doctor`: what works here, and which way."""

from __future__ import annotations

from typing import Annotated

import typer

from strata.shell import Common, Program

app = Program("strata", help="Layered search to learn from: run each layer, look into it, measure it, swap it.")


@app.run("layers")
def layers(common: Common) -> None:
    """The layers, one command each, and what to try first (also what plain `strata` prints)."""
    from strata import overview
    from strata.show.overview import overview as view

    rows = [{"layer": row.layer, "about": row.about, "try": row.command} for row in overview.layers()]
    common.emit({"layers": rows}, view)


@app.run("doctor")
def doctor(
    common: Common,
    verify: Annotated[bool, typer.Option("--verify", help="Compute every checksum again.")] = False,
) -> None:
    """Weights found, artefacts built, which way each layer takes here, what to install for more."""
    from strata.doctor import examine
    from strata.show.overview import examined

    found = examine(common.settings(), common.say, verify=verify)
    common.emit(found, lambda: examined(found))


app.default = "layers"

if __name__ == "__main__":
    app()
