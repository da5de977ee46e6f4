"""SECURITY.md is true: the tests it names hold what it says, and what it rules out is nowhere in the source."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT, Run
from tests.tiny_bert import tiny_bert

PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
HELD = {
    "load": "a_refusal_says_where_and_what",
    "golden": "a_file_that_is_no_golden_set_is_one_line",
    "fuzz/loaders": "any_file_by_any_loader",
    "fuzz/judgements": "golden_sets",
    "download": "a_redirect_to_what_is_not_https_is_refused a_body_that_unpacks_beyond_the_cap_is_refused",
    "fetch": "a_fetched_set_is_a_catalogue_with_its_licence",
    "portability": "a_catalogue_is_called_only_what_every_system_takes",
    "cli_data": "terminal_escapes_of_a_catalogue_never_reach_the_terminal an_import_never_takes_the_place_of",
    "storage": "nothing_pickled_is_ever_read a_damaged_artefact_is_a_miss_that_is_announced_and_mended",
    "faults": "altered_and_truncated_files_never_change_an_answer",
    "fuzz/artefacts": "a_damaged_file_of_the_cache_changes_no_answer",
    "encoder_hub": "weights_in_a_pickle_are_refused a_model_is_fetched_once_announced_and_without_its_pickle",
    "clip_weights": "what_the_hub_has_as_a_pickle_only_is_not_fetched",
    "security": "a_model_that_brings_code_is_refused",
    "pictures_hostile": "any_bytes_end_in_a_picture_or_in_one_line memory_and_time_are_bounded",
    "pictures_sending": "no_metadata_leaves_the_machine",
    "planted": "what_is_drawn_has_no_control_characters it_is_flagged prompts_keep_their_shape",
    "llm_prompts": "no_text_closes_the_boundary a_boundary_is_never_guessed_and_never_the_same",
    "llm_replies": "what_does_not_fit_the_schema_is_a_bad_reply",
    "rerank_replies": "any_text_gives_a_permutation_or_a_bad_reply",
    "citations": "without_sources_every_citation_is_absent",
    "fuzz/replies": "a_search_has_its_result_whatever_a_model_writes",
    "experiments_hostile": "control_characters_of_a_log_do_not_reach_the_screen",
    "llm_recordings": "a_damaged_recording_is_named",
    "plans": "any_bytes_are_a_plan_or_a_clear_error",
    "fuzz/plans": "plans_as_toml run_logs recordings",
    "fuzz/texts": "what_is_drawn_stays_on_its_line",
    "report": "no_text_of_the_data_can_break_the_page",
    "llm_secrets": "a_planted_key_is_nowhere",
    "llm_faults": "the_words_of_a_server_are_made_harmless",
    "llm_env": "a_folders_env_cannot_have_a_key_sent_elsewhere",
    "no_secret_leaks": "no_command_gives_a_secret_away every_command_that_may_ask_a_model_is_among_them",
}
"""By test file that the page names: how tests in it begin, without "test_"."""


def test_the_page_names_files_that_are_there_and_hold_what_it_says() -> None:
    named = set(re.findall(r"`((?:tests|lib|docs)/[\w/.]+)`", PAGE)) | set(re.findall(r"\]\(([\w/.]+)\)", PAGE))
    assert all((ROOT / name).is_file() for name in named), [name for name in named if not (ROOT / name).is_file()]
    files = {re.sub(r"(\w+)$", r"test_\1.py", f"tests/{name}") for name in HELD}
    assert {name for name in named if name.startswith("tests/")} == files
    for name, held in HELD.items():
        folder, _, stem = name.rpartition("/")
        text = (ROOT / "tests" / folder / f"test_{stem}.py").read_text(encoding="utf-8")
        assert all(f"\ndef test_{test}" in text for test in held.split()), name
    assert (ROOT / "faults" / "__main__.py").is_file()
    decoders = ast.literal_eval(_assigned(ROOT / "lib" / "strata" / "pictures" / "place.py", "SUFFIXES"))
    assert len(set(decoders.values())) == 6 and "six decoders" in PAGE


def _assigned(file: Path, name: str) -> str:
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return ast.unparse(node.value)
    raise AssertionError(f"{file} assigns no {name}")


def calls() -> Iterator[tuple[str, str, ast.Call]]:
    """(place, what is called, the call) of the whole library and its programs."""
    for file in [*(ROOT / "lib").rglob("*.py"), *(ROOT / "cli").glob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield f"{file.relative_to(ROOT)}, line {node.lineno}", ast.unparse(node.func), node


def test_no_code_is_made_of_data() -> None:
    """No eval, no shell, no other process; NumPy and torch load no pickles; no server is opened."""
    forbidden = re.compile(
        r"(eval|exec|compile|__import__|os\.(system|popen|exec\w*|spawn\w*|fork)|subprocess\.\w+|"
        r"(pickle|marshal|shelve|dill|joblib|cloudpickle)\.\w+|torch\.load|yaml\.\w+|socket\.socket|.*\.extractall)"
    )
    found = 0
    for place, name, call in calls():
        found += 1
        assert not forbidden.fullmatch(name), place
        words = {word.arg: ast.unparse(word.value) for word in call.keywords}
        assert words.get("trust_remote_code", "False") == "False" and words.get("shell", "False") == "False", place
        if name == "np.load":
            assert words.get("allow_pickle") == "False", place
    assert found > 5000


def test_no_module_for_pickles_or_processes_is_imported() -> None:
    modules = {"pickle", "marshal", "shelve", "dill", "subprocess", "socketserver", "http.server", "tarfile", "zipfile"}
    for file in [*(ROOT / "lib").rglob("*.py"), *(ROOT / "cli").glob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            named += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not modules & set(named), file


@pytest.mark.parametrize("program", ["encoder", "cross-encoder"])
def test_a_model_that_brings_code_is_refused(
    cli: Run, catalogue: Callable[..., Path], tmp_path: Path, program: str
) -> None:
    """Before sentence-transformers 6.0, a module's class was imported from the folder, whoever had filled it."""
    folder, trace = tiny_bert(tmp_path / "model"), tmp_path / "it ran"
    (folder / "evil.py").write_text(f"open({str(trace)!r}, 'w').close()\nclass Evil:\n    pass\n", encoding="utf-8")
    modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    modules[0]["type"] = "evil.Evil"
    (folder / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    given = ["--dataset", str(catalogue("a bear", "a fox")), "--no-log"]
    given += ["--encoder", str(folder)] if program == "encoder" else ["--rerank", "cross_encoder"]
    given += [] if program == "encoder" else ["--cross-encoder", str(folder)]
    done = cli("hybrid_search_cli", "rrf-search", "bear", *given, cache=tmp_path / "cache")
    assert "Traceback" not in done.err and not trace.exists()
    if program == "encoder":
        assert done.status == 2 and "its module evil.Evil is code of its own, which is not run" in done.err
