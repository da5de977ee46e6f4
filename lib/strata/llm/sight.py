"""Models that cannot see: known by name, by a server's refusal of a picture, or by what they write instead.

The refusals are those that OpenAI, Groq, llama.cpp, vLLM, Ollama, LM Studio, OpenRouter, DeepSeek, xAI and Gemini send;
tests/test_vision_refusals.py has them.
"""

from __future__ import annotations

import re

from strata.errors import NoVision
from strata.llm.faults import Answer

_TEXT_ONLY = re.compile(r"gpt-oss|llama-?3\.[13]|llama3-|qwen3-32b|kimi-k2-|deepseek-r1|allam|whisper", re.IGNORECASE)
"""Of Groq's models, those that are known to read text only."""
_REFUSES = re.compile(
    r"image_url\W{1,3}is only supported by|content\W+(?:: value )?must be a string"
    r"|unmarshal array into go struct field \S*content"
    r"|images? (?:input|content|data)?s? ?(?:modality )?(?:is|are) not (?:supported|enabled|available|allowed)"
    r"|(?:does ?n[o'’]t|do not|don['’]t|cannot|can['’]t) (?:support|accept|process|take) (?:any )?"
    r"(?:images?|vision|multi-?modal)\b"
    r"(?![/-]| (?:urls?|formats?|types?|larger|bigger|smaller|over|above|of|with|in|from)\b)"
    r"|at most 0 images?\b|not a (?:multi-?modal|vision)\b|missing data required for image|\bmmproj\b"
    r"|no endpoints? found that support image|only \W?text\W? content type"
    r"|un(?:supported|known) (?:content (?:part )?type|variant)\W{1,4}image_url|input should be 'text'",
    re.IGNORECASE,
)
_STATUSES = {400, 404, 415, 422, 500, 501, 503}
_PICTURE = r"(?:attached |uploaded |provided |actual )?(?:image|picture|photo(?:graph)?|screenshot|attachment)s?\b"
_A = r"(?:an? |any |the |your |this |that )"
_SEE = r"(?:see|view|find|access|open|receive|perceive|process|look at|have access to)(?: or \w+)?"
_NOW = "(?: actually| currently| directly)?"
_SEND = "(?:provide|upload|attach|share|send)"
_GIVEN = r"(?:provided?|attach(?:ed)?|included?|upload(?:ed)?|shared?|supplied|given|received)\b"
_REGRETS = (
    r"(?:(?:(?:i'm |i am )?(?:so |very )?(?:sorry|afraid)|unfortunately|apologies|however|but|for the confusion"
    r"|it (?:seems|appears|looks)|that|like)\b\W*)*"
)
"""Each a word that no other begins with, so that there is one way to read them."""
_SAYS = (
    rf"i (?:do not|don't|cannot|can't|can not|could not|couldn't){_NOW} {_SEE} {_A}?{_PICTURE}",
    rf"(?:i am|i'm) (?:unable|not able) to{_NOW} {_SEE} {_A}?{_PICTURE}",
    rf"i (?:do not|don't|lack)(?: have)? the (?:ability|capability|capacity) to {_SEE} {_A}?{_PICTURE}",
    rf"i (?:have not|haven't|did not|didn't) (?:been given|receive|received|see|get) {_A}{_PICTURE}",
    rf"(?:there (?:is|was|are|were) )?no {_PICTURE} (?:was |is |were |has been |have been )?{_GIVEN}",
    rf"{_A}?{_PICTURE} (?:was|is|were|has|have)(?: not|n't) (?:been )?{_GIVEN}",
    rf"you (?:have not|haven't|did not|didn't) {_GIVEN} {_A}{_PICTURE}",
    rf"(?:please|could you|can you|kindly) (?:please )?{_SEND} (?:me )?(?:with )?{_A}{_PICTURE}",
)
_SEES_NONE = re.compile(
    rf"(?:\A|(?<=[.!?]))\W{{0,20}}{_REGRETS}(?:as an? (?:text|language|large|ai)[^.,]{{0,40}}, )?(?:{'|'.join(_SAYS)})",
    re.IGNORECASE,
)
LONGEST = 2000
"""Letters of a reply that are looked at: a model that sees nothing says so at once."""


def reads_text_only(model: str) -> bool:
    """Whether a model of Groq's is known to be shown no picture."""
    return bool(_TEXT_ONLY.search(model))


def text_only(provider: str, model: str, said: str = "") -> NoVision:
    """said: what the server has to say of it."""
    why = f": {said}" if said else ""
    other = "" if provider == "gemini" else ", or use --llm gemini"
    return NoVision(f"{model} on {provider} reads text only, so it cannot be shown a picture{why}",
                    f"name a model that sees with --llm-model{other}")  # fmt: skip


def blindness(answer: Answer) -> NoVision | None:
    """The error of a refusal of pictures; None for any other refusal."""
    if answer.status not in _STATUSES or not _REFUSES.search(answer.whole()):
        return None
    return text_only(answer.provider, answer.model, answer.said())


def sees_none(text: str) -> bool:
    """Whether a reply to a picture says that there was none: some servers drop it, and the model is none the wiser.

    Only what stands at the beginning of a sentence counts: a picture may show somebody who sees no picture.
    """
    return bool(_SEES_NONE.search(text[:LONGEST].replace("’", "'")))
