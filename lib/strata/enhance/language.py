"""Whether a request is in English, which the rules of this room are written for.

Counted are function words that English has not. Titles bring some of them (La La Land, Das Boot), so one alone says
nothing, and the request's own English function words count against them.
"""

from __future__ import annotations

from strata.core.analysis import stopwords, tokens


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


FOREIGN = word_set(
    """
    el la los las un una unos unas del al y que con por para sus su se es como pero mas lo les sobre entre este esta
    donde cuando despues dos en de nos muy sin ya quien cual
    le et ou qui dans avec est sont ce cette ses il elle ils aux au pas ne sur des du une leur mais
    der das dem ein eine einen einem einer und oder ist sind von mit fur auf im zu zum zur nicht sich auch
    gli di della dei delle che nel nella si non sono una uno
    os uma dos das em na com mas nao seu sua
    """
)
"""Function words of Spanish, French, German, Italian and Portuguese, folded, without those that are English words."""


def is_english(text: str) -> bool:
    """False where at least two different words are another language's function words, more than are English ones."""
    words = set(tokens(text))
    foreign = words & FOREIGN
    return len(foreign) < 2 or len(foreign) <= len(words & (stopwords() - FOREIGN))


NOTICE = "the request does not look English, and the rules know no other language: it stays as it is"
