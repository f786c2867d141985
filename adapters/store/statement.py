"""One statement, compiled once for each kind of database, and run on the driver's own cursor.

SQLAlchemy writes the SQL, names the parameters and converts every value by its column's type. What
it does besides for each execution costs more than the query: recording one answer runs a dozen
statements and took 4 ms that way, of which the database itself needs half a millisecond.

Errors of the driver come as they are; whoever runs the transaction translates them.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    JSON,
    ColumnElement,
    Connection,
    Delete,
    Dialect,
    Enum,
    Insert,
    Select,
    Table,
    TextClause,
    Update,
)
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import TypeEngine

from .columns import Instant, instant_of

Values = dict[str, Any]
Found = tuple[Any, ...]
"""A row as the driver gives it."""
AnyRow = Any
"""A row as a named tuple of the columns asked for, their values converted."""

Written = Select[Any] | Insert | Update | Delete | TextClause
Convert = Callable[[Any], Any]
Converters = tuple[tuple[int, Convert], ...]
Read = Callable[[Iterable[Any]], AnyRow]


class Statement:
    """A Core statement whose every parameter is given by name, or has its value already.

    A text must be told its types by `bindparams`; it gives no rows.
    """

    def __init__(self, written: Written) -> None:
        self._written = written
        self._ready: dict[Kind, _Ready] = {}

    def rows(self, connection: Connection, values: Values) -> list[AnyRow]:
        """All rows it gives."""
        read = self._for(connection).row
        return [read(found) for found in self.found(connection, values)]

    def found(self, connection: Connection, values: Values) -> list[Found]:
        """All rows it gives, as the driver has them."""
        ready = self._for(connection)
        cursor = connection.connection.cursor()
        cursor.execute(ready.sql, ready.parameters(values))
        found = list(cursor.fetchall())
        cursor.close()
        return found

    def row(self, connection: Connection, values: Values) -> AnyRow | None:
        """The one row it gives, None where it gives none."""
        rows = self.rows(connection, values)
        assert len(rows) <= 1, "more than one row where one was asked for"
        return rows[0] if rows else None

    def run(self, connection: Connection, rows: Sequence[Values]) -> None:
        """Execute it once for each of these sets of parameters; nothing for none."""
        if not rows:
            return
        ready = self._for(connection)
        cursor = connection.connection.cursor()
        if len(rows) == 1:  # for many, psycopg begins and ends a pipeline
            cursor.execute(ready.sql, ready.parameters(rows[0]))
        else:
            cursor.executemany(ready.sql, [ready.parameters(values) for values in rows])
        cursor.close()

    def _for(self, connection: Connection) -> _Ready:
        """Compiled at first use. All ledgers of one kind of database make their engine alike; an
        engine of somebody else may write JSON in another way."""
        kind = kind_of(connection.dialect)
        ready = self._ready.get(kind)
        if ready is None:
            ready = self._ready[kind] = _compiled(self._written, connection.dialect)
        return ready


Kind = tuple[type[Dialect], Any, Any]


def kind_of(dialect: Any) -> Kind:
    """What the compiled form depends on: the dialect, and how it writes and reads JSON."""
    return type(dialect), dialect._json_serializer, dialect._json_deserializer  # noqa: SLF001


@dataclass(frozen=True, slots=True)
class _Ready:
    """A statement as one driver takes it, and how its rows are read.

    `names` are its parameters in their places, `given` those that had their value when it was
    written, such as a state that it asks for. `to_driver` converts what stands in a place; most
    values need none.
    """

    sql: str
    names: Sequence[str]
    given: Values
    is_positional: bool
    to_driver: Converters
    row: Read

    def parameters(self, values: Values) -> Any:
        """As the driver takes them: in their places or by name."""
        named = self.given | values if self.given else values
        placed = [named[name] for name in self.names]
        for place, convert in self.to_driver:
            if placed[place] is not None:  # null is null in every type of ours
                placed[place] = convert(placed[place])
        return placed if self.is_positional else dict(zip(self.names, placed, strict=True))


def _compiled(written: Written, dialect: Dialect) -> _Ready:
    compiled = written.compile(dialect=dialect)
    assert isinstance(compiled, SQLCompiler)
    names = compiled.positiontup if compiled.positional else list(compiled.binds)
    assert names is not None, "a positional statement knows its places"
    binds = [compiled.binds[name] for name in names]
    columns = [] if isinstance(written, TextClause) else list(written.exported_columns)
    return _Ready(
        sql=compiled.string,
        names=names,
        given={
            name: bind.value for name, bind in zip(names, binds, strict=True) if not bind.required
        },
        is_positional=compiled.positional,
        to_driver=_converters(
            bind.type.dialect_impl(dialect).bind_processor(dialect) for bind in binds
        ),
        row=_reader(columns, dialect),
    )


def reader_of(table: Table, dialect: Dialect) -> Read:
    """What makes a row of all columns of this table, as the driver gives them."""
    which = table.name, kind_of(dialect)
    if which not in _READERS:
        _READERS[which] = _reader(list(table.columns), dialect)
    return _READERS[which]


_READERS: Final[dict[tuple[str, Kind], Read]] = {}


def _reader(columns: Sequence[ColumnElement[Any]], dialect: Dialect) -> Read:
    """Of one of the driver's rows: every value as its column's type reads it, by name."""
    make = _maker([column.name for column in columns])
    from_driver = _converters(converter_of(column.type, dialect) for column in columns)

    def read(found: Iterable[Any]) -> AnyRow:
        values = list(found)
        for place, convert in from_driver:
            if values[place] is not None:
                values[place] = convert(values[place])
        return make(values)

    return read


def converter_of(type_: TypeEngine[Any], dialect: Dialect) -> Convert | None:
    """What makes the value of what the driver gives; None: that is the value.

    Straight to it where the column's type is ours: a read converts a hundred of them.
    """
    if isinstance(type_, Instant):
        return instant_of
    if isinstance(type_, Enum) and type_.enum_class is not None:
        return {member.value: member for member in type_.enum_class}.__getitem__
    convert = type_.dialect_impl(dialect).result_processor(dialect, None)
    if convert is not None and isinstance(type_, JSON):
        return dialect._json_deserializer or convert  # noqa: SLF001 - none: somebody else's engine
    return convert


def _converters(found: Iterable[Convert | None]) -> Converters:
    return tuple((place, each) for place, each in enumerate(found) if each is not None)


def _maker(names: list[str]) -> Convert:
    """Of a named tuple: its columns are known only here, so it can have no class of its own."""
    found: Any = namedtuple("Found", names)  # type: ignore[misc]
    maker: Convert = found._make
    return maker
