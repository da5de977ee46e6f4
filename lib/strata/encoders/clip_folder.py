"""What a folder with a model of texts and pictures says of itself. Nothing is loaded.

Three layouts: as sentence-transformers writes it today (modules.json and all else beside it); as it once did, and the
hub has its own CLIPs (0_CLIPModel/ beside modules.json); and as transformers writes it (no modules.json).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from strata.encoders.clip_config import ACTIVATIONS, TEXT, ClipConfig, clip_config, of_tower
from strata.encoders.clip_pixels import plain_pixels, processor
from strata.encoders.clip_tokens import plain_clip_tokens
from strata.encoders.folder import OWN, WEIGHTS, Prefixes, json_of, longest_input, modules_of, prefixes
from strata.encoders.plain import header
from strata.errors import ArtefactError
from strata.registry import EncoderRow

OLD_HOME = "0_CLIPModel"
METHODS = {"text": "get_text_features", "image": "get_image_features"}
POSITIONS = {"siglip": 64, "siglip2": 64}
"""Of the models whose configuration need not say how many tokens they read."""
DTYPES = (None, "float32")
PROCESSORS = ("preprocessor_config.json", "processor_config.json")


def home_of(folder: Path) -> Path | None:
    """The folder in this one whose network reads texts and pictures; None where there is no such network."""
    modules = list(modules_of(folder))
    if not modules:
        return next((home for home in (folder, folder / OLD_HOME) if _sees(home)), None)
    path, kind = modules[0]
    return folder / path if kind == "CLIPModel" or _sees(folder / path) else None


def _sees(home: Path) -> bool:
    try:
        config = json_of(home / "config.json")
        eyes = "vision_config" in config and any((home / name).is_file() for name in PROCESSORS)
        return eyes or config.get("model_type") == "clip"
    except (OSError, ValueError, TypeError, AttributeError):
        return False


def lacking_there(folder: Path, home: Path) -> str:
    """What keeps such a folder from being used, as folder.lacking says it; "" if nothing does, as far as names tell."""
    ways = (
        ((WEIGHTS,),),
        (("config.json",),),
        (("tokenizer.json",), ("vocab.json", "merges.txt"), ("spiece.model",), ("tokenizer.model",)),
        tuple((name,) for name in PROCESSORS),
    )
    at = home.relative_to(folder).as_posix()
    missing = [
        f"{at}/{name}".removeprefix("./")
        for files in ways
        if not any(all((home / name).is_file() for name in names) for names in files)
        for name in files[0]
    ]
    if not missing:
        return ""
    said = f"holds no {', '.join(missing)}"
    if (home / WEIGHTS).is_file():
        return said
    if (home / f"{WEIGHTS}.index.json").is_file():
        return f"{said}: tensors in several files are not supported"
    pickled = sorted(file.name for file in home.glob("pytorch_model*.bin"))
    return f"{said}; {pickled[0]} is a pickle, which is not loaded" if pickled else said


def described_there(folder: Path, home: Path, digest: str, usual: Prefixes) -> EncoderRow:
    """A row for such a folder. ArtefactError where it is not understood."""
    try:
        config = json_of(home / "config.json")
        sentence = json_of(home / "sentence_bert_config.json")
        stages = [(kind, json_of(folder / path / "config.json")) for path, kind in modules_of(folder)][1:]
        query, document = prefixes(folder, usual)
        plain = _plain(home, config, sentence, [kind for kind, _ in stages])
        text = of_tower(config, "text_config", TEXT if config.get("model_type") == "clip" else {})
        positions = text.get("max_position_embeddings") or POSITIONS.get(config.get("model_type", ""), 77)
        return EncoderRow(
            help="a folder",
            hub="",
            package=("", ""),
            digest=digest,
            dimensions=clip_config(config).dimensions if plain else _dimensions(home, config, stages),
            max_tokens=longest_input(home, {"max_position_embeddings": positions}, sentence),
            pooling="clip" if plain else OWN,
            query_prefix=query,
            document_prefix=document,
            file=(home / WEIGHTS).relative_to(folder).as_posix(),
            runtime="clip" if plain else "torch",
            extra="pictures",
            pictures=True,
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, StopIteration) as error:
        raise ArtefactError(
            f"the model in {folder} cannot be used ({type(error).__name__}: {error})",
            "name a folder that sentence-transformers or transformers wrote",
        ) from error


def _plain(home: Path, config: dict[str, Any], sentence: dict[str, Any], after: list[str]) -> bool:
    """Whether NumPy does all that sentence-transformers does with this folder, from letters and pixels to vectors."""
    if config.get("model_type") != "clip" or set(after) - {"Normalize"} or not _plain_module(sentence):
        return False
    try:
        network = clip_config(config)
        side_by_side = plain_clip_tokens(home) and plain_pixels(processor(home), network.image)
    except (ValueError, KeyError, TypeError, AttributeError):  # a setting in a form that is not known here
        return False
    return side_by_side and _plain_network(home, config, network)


def _plain_module(sentence: dict[str, Any]) -> bool:
    """Whether sentence-transformers was told nothing that changes a vector."""
    ways = sentence.get("modality_config") or {name: {"method": method} for name, method in METHODS.items()}
    return (
        {name: way.get("method") for name, way in ways.items()} == METHODS
        and sentence.get("transformer_task", "feature-extraction") == "feature-extraction"
        and not any(map(sentence.get, ("processing_kwargs", "do_lower_case", "query_length", "document_length",
                                       "query_expansion", "tokenizer_name_or_path")))
    )  # fmt: skip


def _plain_network(home: Path, config: dict[str, Any], network: ClipConfig) -> bool:
    """Whether clip_towers.py has all that this network has, and the file all its tensors in float32."""
    tensors = header(home / WEIGHTS)[0]
    towers = {"text_model": network.text, "vision_model": network.vision}
    needed = {"text_projection.weight", "visual_projection.weight"}
    needed |= {f"{at}.encoder.layers.{tower.layers - 1}.mlp.fc2.weight" for at, tower in towers.items()}
    sections = (config, config.get("text_config") or {}, config.get("vision_config") or {})
    return (
        all(tower.activation in ACTIVATIONS for tower in towers.values())
        and all(section.get(name) in DTYPES for section in sections for name in ("dtype", "torch_dtype"))
        and needed <= set(tensors)
        and all(entry["dtype"] == "F32" or name.endswith("position_ids") for name, entry in tensors.items())
    )


def _dimensions(home: Path, config: dict[str, Any], stages: list[tuple[str, dict[str, Any]]]) -> int:
    """Of what sentence-transformers gives, as far as files tell; torch_pictures.py holds it against what comes."""
    for _, settings in reversed(stages):
        for name in ("out_features", "word_embedding_dimension", "embedding_dimension"):
            if name in settings:
                return int(settings[name])
    tensors = header(home / WEIGHTS)[0]
    for name in ("text_projection.weight", "text_model.head.weight"):
        if name in tensors:
            return int(tensors[name]["shape"][0])
    return int(config.get("projection_dim") or config["text_config"]["hidden_size"])
