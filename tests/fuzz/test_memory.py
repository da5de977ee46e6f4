"""Small files that would fill the memory: each is read in a process of its own, and its peak is measured."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="there is no way to measure the peak here")

MOST = 400
"""Megabytes of a process that reads one of these files; Python with NumPy takes 50 of them."""
FLOOD = gzip.compress(b" " * (1 << 24)) * 64
"""1 GB of blanks, in 1 MB."""
READ = """
import resource, sys
from pathlib import Path
from strata.core.golden import load_golden
from strata.core.load import detect, load
from strata.core.qrels import read_qrels, read_queries
from strata.errors import StrataError
from strata.llm.parsing import json_value
path, how = Path(sys.argv[1]), sys.argv[2]
readers = {
    "catalogue": lambda: [len(one.text) for one in load(path, detect(path), lambda _: None)],
    "golden": lambda: len(load_golden(path).queries),
    "qrels": lambda: len(read_qrels(path)),
    "queries": lambda: len(read_queries(path)),
    "reply": lambda: json_value(path.read_text()),
}
try:
    said = readers[how]()
except StrataError as error:
    said = error.message
if sys.platform == "linux":  # ru_maxrss would begin with that of the process that started this one
    (peak,) = (int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(peak // 1024, said if len(str(said)) < 300 else "much")
"""


def peak(path: Path, how: str) -> tuple[int, str]:
    """(megabytes, what came of it)."""
    command = [sys.executable, "-c", READ, str(path), how]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=60, check=True)
    megabytes, _, said = done.stdout.strip().partition(" ")
    return int(megabytes), said


BEGINNINGS = {
    "films.json.gz": ("catalogue", b'{"movies": [{"id": 1, "title": "'),
    "films.jsonl.gz": ("catalogue", b'{"id": 1, "title": "'),
    "films.csv.gz": ("catalogue", b'id,title\n1,"'),
    "blank.gz": ("catalogue", b""),
    "latin.json.gz": ("catalogue", b'[{"id": 1, "title": "\xe9'),
    "golden.json.gz": ("golden", b'{"test_cases": [{"query": "'),
    "qrels.tsv.gz": ("qrels", b"q1\t1\t1\nq2\t"),
    "queries.jsonl.gz": ("queries", b'{"_id": "1", "text": "'),
}  # fmt: skip


@pytest.mark.parametrize("name", BEGINNINGS)
def test_a_gigabyte_in_a_megabyte_is_refused(tmp_path: Path, name: str) -> None:
    how, begins = BEGINNINGS[name]
    path = tmp_path / name
    path.write_bytes(gzip.compress(begins) + FLOOD)
    megabytes, said = peak(path, how)
    assert "unpacks to more than 100 times its size" in said
    assert megabytes < MOST / 2


@pytest.mark.parametrize(("name", "how", "content"), [
    ("films.json", "catalogue", b'{"movies": [{"id": 1, "title": "a", "text": "' + b"word " * 2_000_000 + b'"}]}'),
    ("films.jsonl", "catalogue", b'{"id": 1, "text": "' + b"\\u2019" * 1_700_000 + b'"}'),
    ("films.tsv", "catalogue", b"id\ttext\n1\t" + b"word " * 2_000_000 + b"\n"),
    ("films.csv", "catalogue", b'id,text\n1,"' + b"a line\n" * 1_400_000),
    ("wide.csv", "catalogue", b",".join(b"c%d" % i for i in range(1_000_000))),
    ("deep.json", "catalogue", b"[" * 10_000_000),
    ("qrels.tsv", "qrels", b"q\td\t" + b"1" * 10_000_000),
    ("reply.txt", "reply", b"<think>" * 1_400_000),
])  # fmt: skip
def test_ten_megabytes_on_a_line_are_read_or_refused(tmp_path: Path, name: str, how: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    megabytes, said = peak(path, how)
    assert said and megabytes < MOST
