"""Rows that a statement gave as one JSON text, each a list of all columns of a table.

A healthy read makes a hundred values of some thirty such rows, so the text is read straight into
typed rows: by `json` and a tuple for each it took four times as long.
"""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec
from msgspec.structs import astuple
from sqlalchemy import Boolean, Dialect, Enum, Table

from .statement import AnyRow, Kind, converter_of, kind_of

Listed = str | None
"""What the database gives: null where there is no row."""


class ListedRows:
    """Reads the rows of one table, each with its columns as attributes, their values converted."""

    def __init__(self, table: Table, dialect: Dialect) -> None:
        forms = {column.name: _form_of(column.type) for column in table.columns}
        found = [
            (place, each.name, converter_of(each.type, dialect))
            for place, each in enumerate(table.columns)
        ]
        row: Any = msgspec.defstruct("ListedRow", [*forms.items()], array_like=True, gc=False)
        self._type = list[row]
        # Not strict: SQLite has 0 and 1 for what is true or false.
        self._decode = msgspec.json.Decoder(self._type, strict=False).decode
        self._converters = [
            (place, name, convert)
            for place, name, convert in found
            if convert and forms[name] is Any
        ]

    def of(self, listed: Listed) -> list[AnyRow]:
        """The rows in this text, in its order."""
        rows = [] if listed is None else self._read(listed)
        for row in rows:
            values = astuple(row)
            for place, name, convert in self._converters:
                if values[place] is not None:  # null is null in every type of ours
                    setattr(row, name, convert(values[place]))
        return rows

    def _read(self, listed: str) -> list[AnyRow]:
        try:
            rows: list[AnyRow] = self._decode(listed)
        except msgspec.DecodeError:  # half of a surrogate pair, which `json` wrote and reads
            rows = msgspec.convert(json.loads(listed), self._type, strict=False)
        return rows


def listed_rows(table: Table, dialect: Dialect) -> ListedRows:
    """Made once for each table and kind of database."""
    which = table.name, kind_of(dialect)
    if which not in _KNOWN:
        _KNOWN[which] = ListedRows(table, dialect)
    return _KNOWN[which]


_KNOWN: Final[dict[tuple[str, Kind], ListedRows]] = {}


def _form_of(type_: Any) -> Any:
    """What the decoder makes of a value. Any: what JSON has; a converter may have the last word."""
    if isinstance(type_, Enum) and type_.enum_class is not None:
        return type_.enum_class | None
    return bool | None if isinstance(type_, Boolean) else Any
