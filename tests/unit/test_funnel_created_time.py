"""Creation times as the API writes them, and those that are not guessed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from reconciler.created_time import parse_created_time

MOMENT = datetime(2026, 3, 10, 12, 0, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-10T05:00:04-0700",
        "2026-03-10T05:00:04-07:00",
        "2026-03-10T12:00:04+0000",
        "2026-03-10T12:00:04Z",
        "2026-03-10T17:45:04+0545",
        "2026-03-11T01:00:04+1300",
        "2026-03-10T12:00:04.900+0000",
    ],
)
def test_an_offset_is_read_and_parts_of_seconds_are_dropped(text: str) -> None:
    """R054: the same moment in whatever zone."""
    assert parse_created_time(text) == MOMENT
    assert (parse_created_time(text) or MOMENT).tzinfo is UTC


def test_an_early_time_is_a_time_all_the_same() -> None:
    assert parse_created_time("1971-01-01T00:00:00Z") == datetime(1971, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "2026-03-10T12:00:04",
        "2026-03-10",
        "2026-03-10 12:00:04+0000",
        "2026-02-30T12:00:04+0000",
        "2026-03-10T25:00:04+0000",
        "2026-03-10T12:00:04+9900",
        "2026-03-10T12:00:04 +0000",
        "2026-03-10T12:00:04+0000 ",
        "1773144004",
        "1969-12-31T15:59:59-0800",
        "1970-01-01T00:00:00+0000",
        "0001-01-01T00:00:00+0100",
        "9999-12-31T23:59:59-0100",
        "２０２６-03-10T12:00:04+0000",
    ],
)
def test_what_has_no_zone_or_cannot_be_read_is_not_guessed(text: str | None) -> None:
    """R056; and facts 5.11: an unset time may read as the end of 1969."""
    assert parse_created_time(text) is None
