"""Whether a text is in English, which the rules of enhance/ and most encoders are made for.

A text in another script shows it by its letters. In Latin ones those words count that English has not: function words
of other languages, and what requests for films are made of. Names and titles bring some of them (Guillermo del Toro,
La La Land, Das Boot), so the articles and particles of names count half, and so does a word with an accent. Against
them stand the text's own English function words. A text that has little of either (a title, two nouns) counts as
English, and so does one in a language whose words are not listed here.
"""

from __future__ import annotations

import re
import unicodedata

from strata.core.analysis import fold, stopwords, tokens


def word_list(text: str) -> tuple[str, ...]:
    """A list of words as the rules of this project are written: a text."""
    return tuple(text.split())


def word_set(text: str) -> frozenset[str]:
    """The same where the order says nothing."""
    return frozenset(word_list(text))


PARTICLES = word_set(
    """
    el la los las lo de del al y
    le les des du et au aux
    der das dem zum zur von und
    il gli di da dei della
    os dos das um em
    van het
    """
)
FUNCTION = word_set(
    """
    un una unas unos uno que para por su sus se es pero muy en sobre entre este esta estos estas ese esa aquel
    donde cuando despues quien quienes cual desde hasta hacia mientras porque aunque otro otra otros
    alguien algo nada cada todos ellos ser estar estan tiene tienen fue nos
    une qui dans avec est sont ce cet cette ces ses sa leur leurs elles ils lui nous vous ne pas mais ou
    quand chez vers depuis pendant jamais tous tres deux etre meme quelqu
    ein eine einen einem einer eines oder ist sind wird werden mit auf nach nicht sich auch aus bei durch ohne
    zwischen gegen sein seine seinen seiner ihre ihren ihrer ich sie wenn zwei kein keine vom beim zu
    che nel nella nelle nei sul sulla dalla alla alle delle dello sono suo sua suoi loro anche quando dopo senza
    questo questa quello quella perche mentre qualcuno
    uma umas uns na nas nao seu seus suas ao aos pelo pela mais muito quem depois alguem
    een niet zijn haar voor uit naar maar ook wordt
    """
)
EVERYDAY = word_set(
    """
    comedia historia guerra hombre hombres mujer mujeres muchacho padre
    madre hijo hija hermano hermana hermanos amigos amor muerte asesino asesinato mundo tiempo viaje perro ciudad
    romantica romantico busca aprende descubre dibujos
    comedie histoire guerre homme hommes femmes fille garcon pere fils freres amis amour mort tueur
    monde temps chien romantique cherche apprend decouvre dessin
    komodie geschichte krieg frau frauen madchen junge vater mutter sohn tochter bruder freunde liebe tod morder
    welt zeit reise hund stadt romantische sucht lernt entdeckt zeichentrickfilm
    commedia storia uomo uomini donne ragazzo ragazza bambino bambini fratelli amici amore morte assassino
    mondo viaggio citta innamora impara scopre cartone
    filme homem mulher menino menina pai filho filha irmaos assassinato morto viagem cao cidade
    desenho descobre
    """
)
DECISIVE = word_set("pelicula peliculas filmes")
FOREIGN = PARTICLES | FUNCTION | EVERYDAY | DECISIVE
"""Words of Spanish, French, German, Italian, Portuguese and Dutch, folded, without those that are English words or
many English titles."""
LEAST = 2.0
"""Evidence below this says nothing: Les Misérables has 1."""
MOST_ACCENTS = 2
"""So many accented words count: a list of actors has more."""
_WORD, _ACCENT = re.compile(r"[^\W\d_]+"), re.compile(r"[À-ÖØ-öø-ž]")


def is_english(text: str) -> bool:
    """False where most letters are of another script, or the evidence of words is at least LEAST and outweighs the
    different English function words."""
    if not in_latin(text):
        return False
    words = set(tokens(text))
    evidence = len(words & FOREIGN) + len(words & DECISIVE) - len(words & PARTICLES) / 2
    evidence += min(len(_accented(text) - FOREIGN), MOST_ACCENTS) / 2
    return evidence < LEAST or evidence <= len(words & _english_words())


def foreign_words(text: str) -> tuple[str, ...]:
    """The words, folded and in their order, by which a text shows that it is not in English; () where it is."""
    if is_english(text):
        return ()
    showing = FOREIGN | _accented(text)
    return tuple(word for word in dict.fromkeys(tokens(text)) if word in showing or not in_latin(word))


def in_latin(text: str) -> bool:
    """Whether at least half of the letters are Latin ones. A text without letters has none that are not."""
    if text.isascii():
        return True
    letters = [c for c in fold(text) if c.isalpha()]
    latin = sum(c.isascii() or unicodedata.name(c, "").startswith("LATIN") for c in letters)
    return 2 * latin >= len(letters)


def _accented(text: str) -> frozenset[str]:
    """The words with an accent or a letter that English has not, folded."""
    if text.isascii():
        return frozenset()
    words = _WORD.findall(unicodedata.normalize("NFC", text))
    return frozenset(fold(word) for word in words if _ACCENT.search(word))


def _english_words() -> frozenset[str]:
    """The stop list without what an apostrophe leaves: "l'amour d'un père" has no English d."""
    return frozenset(word for word in stopwords() if len(word) > 1 or word in "ai")


NOTICE = "the request does not look English, and the rules know no other language: it stays as it is"
