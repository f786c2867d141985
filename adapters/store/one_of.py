"""Asks for the rows in which a column is one of many values, with statements made once.

An `IN` of any length is worked out anew at each execution, which costs more than the query. So the
values are one array where the database has such. Elsewhere there is one statement for each of a few
lengths; the last value is repeated to fill it, and what is longer than the longest is asked for in
parts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

from sqlalchemy import ARRAY, Column, Connection, Select, any_, bindparam
from sqlalchemy.sql.dml import ReturningUpdate

from .statement import AnyRow, Statement, Values

LENGTHS: Final = (1, 4, 16, 64, 256)
"""All far below what a database takes in one statement (SQLite before 3.32: 999)."""


class OneOf:
    """`written` narrowed to rows whose `column` is one of the values asked for."""

    def __init__(self, written: Select[Any] | ReturningUpdate[Any], column: Column[Any]) -> None:
        every = bindparam("one_of_all", type_=ARRAY(column.type))
        self._of_array = Statement(written.where(column == any_(every)))
        self._by_length = {
            length: Statement(
                written.where(
                    column.in_([bindparam(name, type_=column.type) for name in _names(length)])
                )
            )
            for length in LENGTHS
        }

    def rows(
        self, connection: Connection, values: Collection[str], given: Values
    ) -> Iterator[AnyRow]:
        """The rows for these values, in no order; `given` are the other parameters."""
        asked = sorted(values)
        if asked and connection.dialect.name == "postgresql":
            yield from self._of_array.rows(connection, given | {"one_of_all": asked})
            return
        longest = LENGTHS[-1]
        for start in range(0, len(asked), longest):
            part = asked[start : start + longest]
            length = next(length for length in LENGTHS if length >= len(part))
            filled = part + part[-1:] * (length - len(part))
            named = dict(zip(_names(length), filled, strict=True))
            yield from self._by_length[length].rows(connection, given | named)


def _names(length: int) -> list[str]:
    return [f"one_of_{number}" for number in range(length)]
