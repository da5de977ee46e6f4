"""Whether a text is in English: other scripts never are, titles and names stay, no English query is foreign."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata import paths
from strata.core.analysis import stopwords
from strata.core.language import DECISIVE, FOREIGN, foreign_words, in_latin, is_english
from tests.conftest import ROOT

COLLECTIONS = ("beir-scifact", "beir-nfcorpus", "cranfield", "bootdev-course", "trec-tot-movies")


@pytest.mark.parametrize(
    "text",
    ["日本の映画", "ロボットが人を愛する", "фильм о роботах", "فيلم عن الروبوتات", "ταινία για ρομπότ", "机器人的电影",
     "로봇 영화", "หนังหุ่นยนต์", "סרט על רובוטים", "रोबोट की फिल्म", "IMAX 宇宙船とロボットの冒険"],
)  # fmt: skip
def test_another_script_is_not_english(text: str) -> None:
    assert not is_english(text) and not in_latin(text)
    assert foreign_words(text)


@pytest.mark.parametrize(
    "text",
    ["película de robots", "el fin del mundo", "viaje en el tiempo", "un robot aprende a amar",
     "histoire d'amour à Paris", "la vengeance d'un père", "un père cherche sa fille enlevée",
     "das Ende der Welt und ein Junge",
     "zwei Freunde reisen durch das Land", "una ragazza si innamora di un mostro", "la vendetta di un padre",
     "uma menina se apaixona por um monstro", "comédia romântica em Nova York", "een jongen zoekt haar vader",
     "dos hermanos pobres tienen que compartir un solo par de zapatos",
     unicodedata.normalize("NFD", "comédia romântica em Nova York")],
)  # fmt: skip
def test_words_show_another_language(text: str) -> None:
    assert not is_english(text)
    assert not is_english(text.upper())


@pytest.mark.parametrize(
    "text",
    ["", "  ", "1984", "🐻", "?!", "up", "Amélie", "Das Boot", "La La Land", "Crouching Tiger 臥虎藏龍",
     "Les Misérables", "La La Land in Los Angeles", "robert de niro in las vegas", "films by Guillermo del Toro",
     "Oscar de la Hoya",
     "Al Pacino, Andy Garcia", "Y tu mamá también", "La vita è bella", "Cidade de Deus", "Au revoir les enfants",
     "El laberinto del fauno", "das leben der anderen stasi", "Pedro Almodóvar, Penélope Cruz, Gael García Bernal",
     "Joker: Folie à Deux", "con artist Robert De Niro", "Sin City Benicio del Toro", "im looking for das boot",
     "the El Niño of 1982 and un film about it with a señor, por favor", "Ａｍｅｌｉｅ", "half \ud800 letter",
     "Der Untergang and the last days of the war", "UN interpreter Nicole Kidman"],
)  # fmt: skip
def test_titles_names_and_english_stay_english(text: str) -> None:
    assert is_english(text) and foreign_words(text) == ()


def test_english_words_outweigh_the_words_of_a_title() -> None:
    """Each different English function word is held against one word of another language."""
    title = "un chien andalou"
    assert not is_english(title)
    assert not is_english(f"{title} the") and is_english(f"{title} the of")


def test_what_shows_it_is_named_in_order_and_once() -> None:
    assert foreign_words("Una cantante se esconde en un convento, en un lugar") == ("una", "se", "en", "un")
    assert foreign_words("después de la lingüista, una vez") == ("despues", "de", "la", "linguista", "una")
    assert foreign_words("映画 Amélie の歴史と未来のすべて") == ("映画", "amelie", "の歴史と未来のすべて")


def test_a_list_of_actors_is_no_evidence_however_long() -> None:
    assert is_english("Penélope Renée Zoë Björk Léa Chloë Timothée André Gérard Adèle")


def test_the_words_are_folded_and_none_is_a_word_of_the_stop_list() -> None:
    from strata.core.analysis import tokens

    assert all(tokens(word) == [word] for word in FOREIGN)
    assert FOREIGN & stopwords() == {"y"}, "what an apostrophe leaves of English"
    assert DECISIVE <= FOREIGN


@given(st.text())
def test_any_text_has_an_answer(text: str) -> None:
    assert is_english(text) == (foreign_words(text) == ())


def test_the_golden_sets_spanish_queries_and_no_others_are_foreign() -> None:
    """A check, not a source: none of the word lists was made from these."""
    cases = json.loads((paths.data_dir() / "golden_dataset.json").read_text(encoding="utf-8"))["test_cases"]
    found = {case["kind"] for case in cases if not is_english(case["query"])}
    assert found == {"spanish"} and all(not is_english(c["query"]) for c in cases if c["kind"] == "spanish")


def test_every_title_of_the_bundled_films_stays_english() -> None:
    films = json.loads((paths.data_dir() / "movies.json").read_text(encoding="utf-8"))["movies"]
    assert [film["title"] for film in films if not is_english(film["title"])] == []


@pytest.mark.parametrize("name", COLLECTIONS)
def test_no_english_query_of_a_collection_is_taken_for_foreign(name: str) -> None:
    file = ROOT.parent / "shared" / "datasets" / name / "queries.jsonl"
    if not file.is_file():
        pytest.skip(f"{file} is not there")
    texts = [json.loads(line)["text"] for line in file.read_text(encoding="utf-8").splitlines()]
    assert [text for text in texts if not is_english(text)] == []
