"""Asks for the rows in which a column is one of many values, with statements made once.

An `IN` of any length is worked out anew at each execution, which costs more than the query. So the
values are one array where the database has such. Elsewhere there is one statement for each of a few
lengths; the last value is repeated to fill it, and what is longer than the longest is asked for in
parts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

from sqlalchemy import ARRAY, Column, ColumnElement, Connection, Select, any_, bindparam
from sqlalchemy.sql.dml import ReturningUpdate

from .statement import AnyRow, Statement, Values

LENGTHS: Final = (1, 4, 16, 64, 256)
"""All far below what a database takes in one statement (SQLite before 3.32: 999)."""


class OneOf:
    """`written` narrowed to rows whose `column` is one of the values asked for."""

    def __init__(self, written: Select[Any] | ReturningUpdate[Any], column: Column[Any]) -> None:
        self._written = written
        self._column = column
        self._made: dict[int | None, Statement] = {}  # at first use: most are for a few commands

    def rows(
        self, connection: Connection, values: Collection[str], given: Values
    ) -> Iterator[AnyRow]:
        """The rows for these values, in no order; `given` are the other parameters."""
        asked = sorted(values)
        if asked and connection.dialect.name == "postgresql":
            yield from self._of(None).rows(connection, given | {"one_of_all": asked})
            return
        longest = LENGTHS[-1]
        for start in range(0, len(asked), longest):
            part = asked[start : start + longest]
            length = next(length for length in LENGTHS if length >= len(part))
            filled = part + part[-1:] * (length - len(part))
            named = dict(zip(_names(length), filled, strict=True))
            yield from self._of(length).rows(connection, given | named)

    def _of(self, length: int | None) -> Statement:
        """The statement for so many values; None: for one array."""
        if length not in self._made:
            self._made[length] = Statement(self._written.where(self._narrowed(length)))
        return self._made[length]

    def _narrowed(self, length: int | None) -> ColumnElement[bool]:
        if length is None:
            every = bindparam("one_of_all", type_=ARRAY(self._column.type))
            return self._column == any_(every)
        each = [bindparam(name, type_=self._column.type) for name in _names(length)]
        return self._column.in_(each)


def _names(length: int) -> list[str]:
    return [f"one_of_{number}" for number in range(length)]
