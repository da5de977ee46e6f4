"""CSV and its kin: a header line; commas, semicolons, tabs or bars; quoted fields may hold line breaks.

An id of digits only is a number, as it would be in JSON (so that 4 is 4 in both); everything else stays text.
The delimiter is the one that the header holds most of. The columns for id, title and text are found in any case
("Title"); other names are kept as they are. Empty cells and columns without a name are left out.
Not here: quoting other than with ".
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from strata.core.load.entry import IDS, TEXTS, TITLES, document
from strata.core.load.text import opened
from strata.core.types import Document
from strata.errors import DataError

LONGEST_FIELD = 1 << 24


def load(path: Path) -> Iterator[Document]:
    csv.field_size_limit(LONGEST_FIELD)
    with opened(path) as file:
        head = file.readline()
        file.seek(0)
        delimiter = max(",;\t|", key=head.count)
        rows = csv.DictReader(file, delimiter=delimiter, strict=True)
        try:
            names = [_column(name) for name in rows.fieldnames or []]
            if not any(name in IDS for name in names):
                raise DataError(f"{path}: no id among the columns {', '.join(names) or '(none)'}",
                                f"the first line names the columns; one is {' or '.join(IDS)}")  # fmt: skip
            twice = next((name for name, count in Counter(names).items() if name and count > 1), None)
            if twice:
                raise DataError(f'{path}: two columns are called "{twice}"', "rename one of them in the first line")
            rows.fieldnames = names
            for row in rows:
                where = f"{path}, line {rows.line_num}"
                if None in row:
                    raise DataError(
                        f"{where}: more cells than the {len(names)} columns of the header", "mend that line"
                    )
                entry = {
                    name: _number(value) if name in IDS else value for name, value in row.items() if name and value
                }
                yield document(entry, where)
        except csv.Error as error:
            raise DataError(f"{path}, line {rows.reader.line_num}: {error}", "mend that line") from error


def _column(name: str) -> str:
    name = name.strip()
    return name.lower() if name.lower() in (*IDS, *TITLES, *TEXTS) else name


def _number(value: str) -> int | str:
    """ "007" stays a text: the number 7 would be another id."""
    return int(value) if value.isascii() and value.isdigit() and str(int(value[:18])) == value else value
