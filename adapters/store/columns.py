"""How values stand in columns: times as integers, closed lists as words, free text cleaned.

An `Instant` is a count of microseconds since 1970 in UTC: it compares as a number on every
database, keeps what the clock gave, and has no zone to lose.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import JSON, BigInteger, Dialect, Enum, Text, TypeDecorator

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND: Final = timedelta(microseconds=1)


class Instant(TypeDecorator[datetime]):
    """An aware time, given back in UTC. A time without a zone is refused: ValueError."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Microseconds since 1970, UTC."""
        return None if value is None else microseconds_of(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        """Aware UTC."""
        return None if value is None else instant_of(value)


def instant_of(microseconds: int) -> datetime:
    """Aware UTC, so many microseconds after 1970 began."""
    return EPOCH + timedelta(0, 0, microseconds)


def microseconds_of(value: datetime) -> int:
    """Microseconds since 1970, UTC. Raises ValueError for a time without a zone."""
    if value.utcoffset() is None:
        raise ValueError(f"{value!r} has no zone: which moment it means is unknown")
    return (value - EPOCH) // MICROSECOND


class FreeText(TypeDecorator[str]):
    """Text that came from outside, such as an error's message.

    What a database cannot keep (NUL on PostgreSQL, halves of surrogate pairs in UTF-8) becomes the
    replacement character: better a mended message than a lost record.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """The text with what cannot be kept made visible."""
        return None if value is None else mended(value)


def mended(value: str) -> str:
    """The text as every database can keep it."""
    if value.isascii() and "\x00" not in value:
        return str(value)  # nearly all of it
    whole = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\x00", "\N{REPLACEMENT CHARACTER}")


def word_of(closed: type[StrEnum], name: str) -> Enum:
    """A column of one of these words, checked by the database under `name`."""
    return Enum(
        closed,
        name=name,
        native_enum=False,
        create_constraint=True,
        validate_strings=True,
        length=32,
        values_callable=_values,
    )


def _values(closed: type[StrEnum]) -> list[str]:
    return [member.value for member in closed]


def plain_json() -> JSON:
    """A JSON column; None is SQL's null.

    Not the binary kind on PostgreSQL: that refuses escaped NULs and lone surrogates, which the API
    sends, and we never query inside.
    """
    return JSON(none_as_null=True)


Json = dict[str, Any]
