"""What rows are called: no two alike, since figures, files and the row that others are held against go by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path


def distinct(labels: Iterable[str], mark: str = " ({})") -> list[str]:
    """The labels, those that stand there before with a number from 2 up. Case aside: some disks know none. mark: how
    the number is written."""
    labels = list(labels)
    taken = {label.casefold() for label in labels}
    seen: set[str] = set()
    found = []
    for label in labels:
        name, number = label, 1
        while name.casefold() in (seen if number == 1 else seen | taken):
            number += 1
            name = label + mark.format(number)
        seen.add(name.casefold())
        found.append(name)
    return found


def of_files(files: Sequence[Path]) -> list[str]:
    """What run files are called: by name, without endings; of the same name with the folder that each is in."""
    names = [Path(file.name.removesuffix(".gz")).stem for file in files]
    times = Counter(name.casefold() for name in names)
    return distinct(
        f"{file.absolute().parent.name}/{name}" if times[name.casefold()] > 1 else name
        for file, name in zip(files, names, strict=True)
    )
