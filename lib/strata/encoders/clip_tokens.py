"""CLIP's own way from a text to token numbers: letters folded, then byte pairs merged, between a start and an end.

Source: transformers' CLIPTokenizer, which takes words and merges from tokenizer.json, or from vocab.json and merges.txt
where there is none, and makes the rest anew, whatever tokenizer.json says of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strata.encoders import Kind, tokenizable
from strata.encoders.folder import json_of
from strata.encoders.plain import AS_WRITTEN
from strata.encoders.tokens import first_line, needing
from strata.errors import ArtefactError

if TYPE_CHECKING:
    from strata.encoders.weights import Weights

START, END = "<|startoftext|>", "<|endoftext|>"
NAMED = {"bos_token": START, "eos_token": END, "unk_token": END, "pad_token": END}
PIECES = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
OTHERWISE = ("split_special_tokens", "add_bos_token", "add_eos_token", "extra_special_tokens")
"""Settings of tokenizer_config.json under which sentence-transformers makes other tokens than these."""


def plain_clip_tokens(home: Path) -> bool:
    """Whether the tokenizer in this folder is one that is made here as sentence-transformers makes it."""
    said = json_of(home / "tokenizer_config.json")
    sides = {said.get("truncation_side") or "right", said.get("padding_side") or "right"}
    if sides != {"right"} or any(map(said.get, OTHERWISE)) or (home / "added_tokens.json").is_file():
        return False
    written = json_of(home / "tokenizer.json")
    if said.get("tokenizer_class") in AS_WRITTEN:
        return bool(written)
    if said.get("tokenizer_class") not in (None, "CLIPTokenizer", "CLIPTokenizerFast"):
        return False
    if not written:
        return True
    around = written.get("post_processor") or {"type": "RobertaProcessing", "cls": [START], "sep": [END]}
    cut = (written.get("truncation") or {}).get("direction", "Right")
    return (
        written["model"].get("type", "BPE") == "BPE"
        and around["type"] == "RobertaProcessing"
        and (around["cls"][0], around["sep"][0]) == (_named(said, home)["bos_token"], _named(said, home)["eos_token"])
        and cut == "Right"
    )


def clip_tokenizer(home: Path) -> Any:
    """A tokenizers.Tokenizer that cuts and pads nothing. ImportError where that package is missing."""
    from tokenizers import AddedToken, Regex, Tokenizer, normalizers, pre_tokenizers, processors
    from tokenizers.models import BPE

    said, file = json_of(home / "tokenizer_config.json"), home / "tokenizer.json"
    if said.get("tokenizer_class") in AS_WRITTEN:
        tokenizer = Tokenizer.from_file(str(file))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer
    named = _named(said, home)
    merging = {"continuing_subword_prefix": "", "end_of_word_suffix": "</w>", "unk_token": named["unk_token"]}
    if file.is_file():
        model = json_of(file)["model"]
        pairs = (merge.split(" ") if isinstance(merge, str) else merge for merge in model["merges"])
        tokenizer = Tokenizer(BPE(model["vocab"], [(first, second) for first, second in pairs], **merging))
    else:
        tokenizer = Tokenizer(BPE.from_file(str(home / "vocab.json"), str(home / "merges.txt"), **merging))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PIECES), behavior="removed", invert=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    for content, flags in _added(said, home):
        tokenizer.add_tokens([AddedToken(content, **flags)])
    start, end = (token_of(tokenizer, named[name]) for name in ("bos_token", "eos_token"))
    tokenizer.post_processor = processors.RobertaProcessing(end, start, False, False)
    return tokenizer


def token_of(tokenizer: Any, text: str) -> tuple[str, int]:
    return text, tokenizer.token_to_id(text)


def _said_of(said: dict[str, Any], home: Path) -> dict[str, Any]:
    """Each named token as it is written down: a text, or a text with flags. The older map of special tokens counts
    where there is no list of added tokens."""
    older = {} if "added_tokens_decoder" in said else json_of(home / "special_tokens_map.json")
    return {name: older.get(name) or said.get(name) or usual for name, usual in NAMED.items()}


def _named(said: dict[str, Any], home: Path) -> dict[str, str]:
    written = _said_of(said, home)
    return {name: token["content"] if isinstance(token, dict) else token for name, token in written.items()}


def _added(said: dict[str, Any], home: Path) -> list[tuple[str, dict[str, bool]]]:
    """(text, flags) of each token that is taken whole wherever it stands in a text; a later one counts."""
    listed = said.get("added_tokens_decoder")
    if listed is not None:
        rows = [token for _, token in sorted(listed.items(), key=lambda item: int(item[0]))]
    else:
        rows = json_of(home / "tokenizer.json").get("added_tokens") or []
    known = {row["content"]: _flags(row) for row in rows}
    found = list(known.items())
    for token in _said_of(said, home).values():
        content = token["content"] if isinstance(token, dict) else token
        flags = _flags(token) if isinstance(token, dict) else {"normalized": False}
        found.append((content, {**known.get(content, flags), "special": True}))
    return found


def _flags(row: dict[str, Any]) -> dict[str, bool]:
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return {name: bool(row[name]) for name in names if name in row}


class ClipTokens:
    """Token numbers of texts, the start's first and the end's last, and how many there would be were nothing cut."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._home = weights.home

    @cached_property
    def tokenizer(self) -> Any:
        with needing("tokenizers", self._weights):
            import tokenizers  # noqa: F401
        try:
            return clip_tokenizer(self._home)
        except Exception as error:  # tokenizers raises bare Exceptions
            raise ArtefactError(
                f"the tokenizer in {self._home} cannot be read ({first_line(error)})", "name another folder"
            ) from error

    def whole(self, texts: Sequence[str], kind: Kind = "document") -> list[list[int]]:
        prefix = self._weights.prefix(kind)
        return [self.tokenizer.encode(tokenizable(prefix + text)).ids for text in texts]

    def coded(self, texts: Sequence[str], kind: Kind) -> list[list[int]]:
        """At most max_tokens each. What is cut is the text's end, never the token that ends it."""
        most = self._weights.row.max_tokens
        return [ids if len(ids) <= most else [*ids[: most - 1], ids[-1]] for ids in self.whole(texts, kind)]
