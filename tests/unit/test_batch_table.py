"""The CSV of a batch: ids stay ids, and no cell is a formula that calls anything."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from adapters.cli.batch_table import COLUMNS, IDS, cell, table


@pytest.mark.parametrize("given", ["-abc-123", "-42", "+x", "@team:7", "old-1", "7"])
@pytest.mark.parametrize("column", IDS)
def test_an_id_that_no_spreadsheet_can_run_stands_as_it_is(column: str, given: str) -> None:
    assert cell(column, given) == given


@pytest.mark.parametrize("given", ["=cmd|' /C calc'!A0", "-1+SUM(A1)", '=HYPERLINK("http://x")'])
@pytest.mark.parametrize("column", COLUMNS)
def test_what_a_spreadsheet_could_run_is_text_in_every_column(column: str, given: str) -> None:
    assert cell(column, given) == f"'{given}"


def test_words_of_people_that_begin_like_a_formula_are_text() -> None:
    assert (cell("why", "-later"), cell("why", "later"), cell("why", None)) == (
        "'-later",
        "later",
        "",
    )


def test_an_id_that_begins_with_a_dash_is_read_back_as_it_was(tmp_path: Path) -> None:
    row = dict.fromkeys(COLUMNS) | {"document_id": "-a1", "why": "=1", "evidence": "left out"}

    with table(tmp_path / "r.csv") as report:
        report.add(row)

    with (tmp_path / "r.csv").open(newline="") as stream:
        (found,) = csv.DictReader(stream)
    assert (found["document_id"], found["why"], list(found)) == ("-a1", "'=1", list(COLUMNS))
