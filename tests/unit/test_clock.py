"""The machine's clocks and chance, as the core may rely on them."""

import re
from datetime import timedelta

from adapters.clock import SystemChance, SystemClock
from reconciler.mark import has_mark_form

CHANCE = SystemChance()
MANY = 2_000


async def test_the_clocks_go_on_while_it_sleeps() -> None:
    clock = SystemClock()
    boot, wall = clock.boot_seconds(), clock.wall_seconds()

    await clock.sleep(timedelta(milliseconds=5))

    assert clock.boot_seconds() - boot >= 0.005
    assert clock.wall_seconds() > wall


def test_document_ids_sort_by_time_and_never_repeat() -> None:
    ids = [CHANCE.document_id() for _ in range(MANY)]

    assert len(set(ids)) == MANY
    assert all(re.fullmatch(r"[0-7][0-9A-HJKMNP-TV-Z]{25}", one) for one in ids)
    stamps = [one[:10] for one in ids]
    assert stamps == sorted(stamps)


def test_a_document_part_has_the_form_of_a_mark_and_an_item_part_its_length() -> None:
    parts = {CHANCE.document_part() for _ in range(MANY)}

    assert len(parts) == MANY
    assert all(has_mark_form(part) for part in parts)
    assert re.fullmatch(r"[a-z2-7]{6}", CHANCE.item_part())


def test_every_start_is_another_owner() -> None:
    assert CHANCE.owner() != CHANCE.owner()


def test_a_fraction_is_at_least_zero_and_below_one() -> None:
    fractions = [CHANCE.fraction() for _ in range(MANY)]

    assert 0 <= min(fractions) < 0.1
    assert 0.9 < max(fractions) < 1
