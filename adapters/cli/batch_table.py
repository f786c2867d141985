"""The report of a batch as CSV: a line for each document, as it is done.

A program reads the ids back, and a person opens the file in a spreadsheet, which takes a cell that
begins with certain signs for a formula.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from .whole_file import FileLost

IDS: Final = ("document_id", "account_id")
COLUMNS: Final = (*IDS, "result", "before", "after", "reason", "why")

_BEGINS_A_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
_INERT: Final = re.compile(r"[-+=@]?[\w.:-]*")
"""With these alone no formula calls a function or a program: an id of them stands as it is."""


class Table:
    """Written line by line."""

    def __init__(self, writer: csv.DictWriter[str]) -> None:
        self._writer = writer

    def add(self, row: Mapping[str, Any]) -> None:
        """One document: what `row` has beside the columns is left out."""
        self._writer.writerow({name: cell(name, row[name]) for name in COLUMNS})


def cell(column: str, value: Any) -> str:
    """The text, behind a `'` where a spreadsheet could run it."""
    text = "" if value is None else str(value)
    if not text.startswith(_BEGINS_A_FORMULA):
        return text
    return text if column in IDS and _INERT.fullmatch(text) else f"'{text}"


@contextmanager
def table(path: Path) -> Iterator[Table]:
    """The file, with its head. Raises `FileLost` where it cannot be written."""
    try:
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, COLUMNS)
            writer.writeheader()
            yield Table(writer)
    except OSError as error:
        raise FileLost(
            f"{path} cannot be written: {error.strerror}", next_step="name another file with --csv"
        ) from error
