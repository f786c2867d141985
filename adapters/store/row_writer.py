"""Turns one set of rows of a table into another: deletes, updates and inserts what differs."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import JSON, Connection, Delete, Insert, Update, bindparam

from .rows import Values
from .tables import table

Key = tuple[Any, ...]


class RowWriter:
    """The three statements that write rows of one table by their primary key, made once."""

    def __init__(self, name: str) -> None:
        found = table(name)
        self._key = tuple(column.name for column in found.primary_key)
        self._rest = tuple(column.name for column in found.columns if not column.primary_key)
        self._json = [column.name for column in found.columns if isinstance(column.type, JSON)]
        here = [found.c[key] == bindparam(f"its_{key}") for key in self._key]
        values: Values = {rest: bindparam(f"to_{rest}") for rest in self._rest}
        self._insert = found.insert()
        self._update = found.update().where(*here).values(values)
        self._delete = found.delete().where(*here)

    def store(self, connection: Connection, old: list[Values], new: list[Values]) -> None:
        """Make the old rows the new ones. Rows that are equal in both cost nothing."""
        before = {self._key_of(row): row for row in old}
        after = {self._key_of(row): row for row in new}
        assert len(after) == len(new), "two parts of a document under one key"
        gone = [self._its(key) for key in before if key not in after]
        moved = [
            self._its(key) | self._to(row)
            for key, row in after.items()
            if key in before and not self._are_same(before[key], row)
        ]
        added = [row for key, row in after.items() if key not in before]
        for statement, rows in ((self._delete, gone), (self._update, moved), (self._insert, added)):
            _run(connection, statement, rows)

    def _are_same(self, before: Values, after: Values) -> bool:
        """Equal as stored: in JSON, 1 and true are equal to Python and two things to the API."""
        return before == after and all(
            _is_same_json(before[name], after[name]) for name in self._json
        )

    def _key_of(self, row: Values) -> Key:
        return tuple(row[name] for name in self._key)

    def _its(self, key: Key) -> Values:
        return {f"its_{name}": value for name, value in zip(self._key, key, strict=True)}

    def _to(self, row: Values) -> Values:
        return {f"to_{name}": row[name] for name in self._rest}


def _run(connection: Connection, statement: Insert | Update | Delete, rows: list[Values]) -> None:
    if rows:
        connection.execute(statement, rows)


def _is_same_json(before: Any, after: Any) -> bool:
    return before is after or _as_stored(before) == _as_stored(after)


def _as_stored(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
