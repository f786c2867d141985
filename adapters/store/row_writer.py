"""Turns one set of rows of a table into another: deletes, updates and inserts what differs."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from sqlalchemy import JSON, Connection, bindparam

from .statement import Statement, Values
from .tables import table

Key = tuple[Any, ...]
Names = tuple[str, ...]


class RowWriter:
    """The statements that write rows of one table by their primary key, made once.

    An update names only what differs: the others would be converted and their indexes written for
    nothing, which is most of what recording an answer costs.
    """

    def __init__(self, name: str) -> None:
        found = table(name)
        self._table = found
        self._key = tuple(column.name for column in found.primary_key)
        self._rest = tuple(column.name for column in found.columns if not column.primary_key)
        self._json = {column.name for column in found.columns if isinstance(column.type, JSON)}
        self._here = [found.c[key] == bindparam(f"its_{key}") for key in self._key]
        self._insert = Statement(found.insert())
        self._updates: dict[Names, Statement] = {}  # by what they set
        self._delete = Statement(found.delete().where(*self._here))

    def store(self, connection: Connection, old: list[Values], new: list[Values]) -> None:
        """Make the old rows the new ones. Rows that are equal in both cost nothing."""
        if not old and not new:
            return
        before = {self._key_of(row): row for row in old}
        after = {self._key_of(row): row for row in new}
        assert len(after) == len(new), "two parts of a document under one key"
        self._delete.run(connection, [self._its(key) for key in before if key not in after])
        for names, rows in self._moved(before, after).items():
            self._update(names).run(connection, rows)
        self._insert.run(connection, [row for key, row in after.items() if key not in before])

    def _moved(
        self, before: dict[Key, Values], after: dict[Key, Values]
    ) -> dict[Names, list[Values]]:
        """The rows that differ, by the columns in which they do."""
        moved: dict[Names, list[Values]] = defaultdict(list)
        for key, row in after.items():
            if key in before and (names := self._differing(before[key], row)):
                moved[names].append(self._its(key) | {f"to_{name}": row[name] for name in names})
        return moved

    def _differing(self, before: Values, after: Values) -> Names:
        """Not the same as stored: in JSON, 1 and true are equal to Python, not to the API."""
        return tuple(
            name
            for name in self._rest
            if before[name] != after[name]
            or (name in self._json and not _is_same_json(before[name], after[name]))
        )

    def _update(self, names: Names) -> Statement:
        if names not in self._updates:
            values: Values = {name: bindparam(f"to_{name}") for name in names}
            self._updates[names] = Statement(self._table.update().where(*self._here).values(values))
        return self._updates[names]

    def _key_of(self, row: Values) -> Key:
        return tuple(row[name] for name in self._key)

    def _its(self, key: Key) -> Values:
        return {f"its_{name}": value for name, value in zip(self._key, key, strict=True)}


def _is_same_json(before: Any, after: Any) -> bool:
    """Of two that are equal to Python; in empty ones there is nothing to mistake."""
    return not before or before is after or _as_stored(before) == _as_stored(after)


def _as_stored(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
