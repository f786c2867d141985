"""Documents from elsewhere as CSV: a head of column names, then a row for each line.

Rows are cut by their quotes before they are read, so that one that is broken is refused by itself.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Final

from reconciler.errors import InvalidImport
from reconciler.imported_lines import RawLine

from .byte_lines import LINE_BYTES_MAX, TOO_LONG, ByteLine, Readable, byte_lines
from .columns import check_columns, object_of

NOT_CLOSED: Final = ("has a quote that is not closed", "double every quote inside a cell")


def csv_rows(stream: Readable, source: str) -> Iterator[RawLine]:
    """Every row that is not blank, numbered by its first line. Raises `InvalidImport` where the
    head is no head of ours."""
    rows = _rows(byte_lines(stream))
    head = next(rows, None)
    if head is None:
        raise InvalidImport(f"{source} is empty", next_step="its first line names the columns")
    columns = _head(head, source)
    for row in rows:
        if not row.is_blank:
            yield _read(row, columns)


def _head(row: ByteLine, source: str) -> list[str]:
    try:
        columns = [cell.strip() for cell in _cells(row.text())] if row.is_whole else []
    except (UnicodeDecodeError, csv.Error) as error:
        next_step = "save it as UTF-8, with commas between cells"
        raise InvalidImport(
            f"{source}: the head is no CSV: {error}", next_step=next_step
        ) from error
    check_columns(columns, source)
    return columns


def _read(row: ByteLine, columns: list[str]) -> RawLine:
    if not row.is_whole:
        return row.refused(*(NOT_CLOSED if len(row.content) <= LINE_BYTES_MAX else TOO_LONG))
    try:
        text = row.text()
        cells = _cells(text)
    except UnicodeDecodeError as error:
        return row.refused(f"is not UTF-8 at byte {error.start}", "save the file as UTF-8")
    except csv.Error as error:
        return row.refused(f"is no row of CSV: {error}", "double every quote inside a cell")
    if len(cells) != len(columns):
        problem = f"has {len(cells)} cells, and the head has {len(columns)}"
        return row.refused(problem, "write one cell for each column, quotes around commas")
    value = object_of(dict(zip(columns, cells, strict=True)))
    return RawLine(number=row.number, text=text, value=value)


def _cells(text: str) -> list[str]:
    csv.field_size_limit(LINE_BYTES_MAX)
    rows = list(csv.reader([text], strict=True))
    return rows[0] if rows else []


def _rows(lines: Iterator[ByteLine]) -> Iterator[ByteLine]:
    """Lines joined where a quote is open at the end of one; at most as long as a line may be."""
    for line in lines:
        content, is_whole = line.content, line.is_whole
        while is_whole and content.count(b'"') % 2:
            following = next(lines, None)
            is_whole = following is not None and following.is_whole
            content += following.content if following is not None else b""
            is_whole = is_whole and len(content) <= LINE_BYTES_MAX
        yield ByteLine(line.number, content, is_whole)
