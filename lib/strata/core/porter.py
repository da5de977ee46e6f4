"""Porter's stemmer, word for word as NLTK's: its stems in a quarter of the time, and nothing to import.

Source: Porter, "An algorithm for suffix stripping", Program 14 (1980), with the departures that NLTK makes by default:
twelve irregular words; short words (dies, died) keep their e; a y becomes i after any consonant but a lone one (spy,
not enjoy); alli, fulli and logi in step 2. A test compares the two over vocabularies and random letters.

A stem's form has a c for each consonant and a v for each vowel; y is a vowel after a consonant. The paper's measure m
is how often "vc" stands in it. The form of a word's beginning is the beginning of its form.
"""

from __future__ import annotations

_FORMS = bytes(b"v"[0] if chr(i) in "aeiou" else i if chr(i) == "y" else b"c"[0] for i in range(256))
_IRREGULAR = {
    "skies": "sky", "sky": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news", "innings": "inning",
    "inning": "inning", "outings": "outing", "outing": "outing", "cannings": "canning", "canning": "canning",
    "howe": "howe", "proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}  # fmt: skip
_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "entli": "ent",
    "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al", "iveness": "ive",
    "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "fulli": "ful", "alli": "al",
}  # fmt: skip
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = dict.fromkeys(
    ["al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
     "ous", "ive", "ize"], "",
)  # fmt: skip
_ENDS_2, _ENDS_3, _ENDS_4 = ({suffix[-2:] for suffix in rules} for rules in (_STEP_2, _STEP_3, _STEP_4))
"""Words that do not end so have none of the suffixes."""


def stem(word: str) -> str:
    """The stem of a folded word."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _verb_ending(_plural(word))
    if word[-1] == "y" and len(word) > 2 and _form(word[:-1]).endswith(b"c"):  # step 1c
        word = word[:-1] + "i"
    return _final(_step_4(_step_3(_step_2(word))))


def _form(word: str) -> bytes | bytearray:
    form = word.encode("ascii", "replace").translate(_FORMS)
    y = form.find(b"y")
    if y < 0:
        return form
    settled = bytearray(form)  # a long run of them takes no longer for it
    while y >= 0:
        settled[y] = b"v"[0] if y and settled[y - 1] == b"c"[0] else b"c"[0]
        y = settled.find(b"y", y + 1)
    return settled


def _measure(word: str) -> int:
    return _form(word).count(b"vc")


def _short(form: bytes | bytearray, last: str) -> bool:
    """Whether a stem of this form that ends in this letter is one like hop, to which an e may belong."""
    return (form.endswith(b"cvc") and last not in "wxy") or form == b"vc"


def _plural(word: str) -> str:
    """Step 1a."""
    if word[-1] != "s" or word[-2] == "s":
        return word
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    return word[:-2] if word.endswith("sses") else word[:-1]


def _verb_ending(word: str) -> str:
    """Step 1b."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    root = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
    form = _form(root)
    if b"v" not in form:
        return word
    if root.endswith(("at", "bl", "iz")):
        return root + "e"
    if root[-2:-1] == root[-1] and form.endswith(b"c"):
        return root if root[-1] in "lsz" else root[:-1]
    return root + "e" if form.count(b"vc") == 1 and _short(form, root[-1]) else root


def _suffix(word: str, rules: dict[str, str], longest: int, shortest: int) -> str:
    """The longest suffix of a word that is among the rules; "" for none."""
    for size in range(min(longest, len(word)), shortest - 1, -1):
        if word[-size:] in rules:
            return word[-size:]
    return ""


def _step_2(word: str) -> str:
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) else word
    suffix = _suffix(word, _STEP_2, 7, 3) if word[-2:] in _ENDS_2 else ""
    if not suffix or not _measure(word[: -len(suffix)]):
        return word
    word = word[: -len(suffix)] + _STEP_2[suffix]
    return _step_2(word) if suffix == "alli" else word


def _step_3(word: str) -> str:
    suffix = _suffix(word, _STEP_3, 5, 3) if word[-2:] in _ENDS_3 else ""
    return word[: -len(suffix)] + _STEP_3[suffix] if suffix and _measure(word[: -len(suffix)]) else word


def _step_4(word: str) -> str:
    suffix = _suffix(word, _STEP_4, 5, 2) if word[-2:] in _ENDS_4 else ""
    root = word[: len(word) - len(suffix)]
    return root if suffix and _measure(root) > 1 and (suffix != "ion" or root[-1] in "st") else word


def _final(word: str) -> str:
    """Steps 5a and 5b."""
    if word[-1] == "e":
        form = _form(word[:-1])
        measure = form.count(b"vc")
        if measure > 1 or (measure == 1 and not _short(form, word[-2])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
