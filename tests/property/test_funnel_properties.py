"""What holds of the funnel in every world: the properties at the end of design section 6."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from fixtures.funnel_world import PART, all_told, told
from fixtures.strategies import World, near_miss_rows, worlds
from reconciler.listing import Listing, Row
from reconciler.mark import split_name
from reconciler.model import ItemState, Reason
from reconciler.verdict import Absent, Found, Judgement, word

MARKED = worlds(marked=True)
UNMARKED = worlds(marked=False)
ANY = st.one_of(MARKED, UNMARKED)
NEW_ID = "777"


def found_ids(judgement: Judgement) -> dict[str, str]:
    """The id found for each item that was found."""
    return {key: v.row.id for key, v in judgement.verdicts.items() if isinstance(v, Found)}


def found_by_name(world: World, judgement: Judgement) -> dict[object, set[str]]:
    """The ids found under each name: which of equal twins gets which does not matter."""
    names: dict[object, set[str]] = {}
    for key, external_id in found_ids(judgement).items():
        names.setdefault(_name_of(world, key), set()).add(external_id)
    return names


def _name_of(world: World, key: str) -> object:
    intent = world.document.item(key).intent
    assert intent is not None
    return intent.container, intent.name


# --- the promise -------------------------------------------------------------------------------


@given(world=MARKED)
def test_with_marks_nothing_is_found_that_was_not_made_and_nothing_made_is_absent(
    world: World,
) -> None:
    for key, verdict in world.judgement().verdicts.items():
        event(told(verdict).split()[0])
        if isinstance(verdict, Found):
            assert verdict.row.id == world.made.get(key)
        if isinstance(verdict, Absent):
            assert key not in world.made


@given(world=MARKED)
def test_with_marks_that_show_everything_settled_is_known(world: World) -> None:
    """Liveness: where marks come back, strangers and rivals keep nobody from knowing.

    Strangers whose marks cannot be read apart: they may be ours.
    """
    assume(all(world.is_settled(item.key) for item in world.document.items))
    assume(any(PART in listed.labels for _, listed in world.rows))
    marks = [listed.marks for _, listed in world.rows]
    assume(not any(seen.unreadable_label or seen.unreadable_name for seen in marks))

    verdicts = world.judgement().verdicts

    assert {word(verdict) for verdict in verdicts.values()} <= {"found", "absent"}


def _is_asked(world: World, key: str) -> bool:
    return world.document.item(key).state is ItemState.PENDING


@given(world=UNMARKED)
def test_without_marks_and_without_strangers_what_is_found_was_made_and_what_is_absent_was_not(
    world: World,
) -> None:
    alone = replace(
        world.without(*{listed.id for _, listed in world.rows} - set(world.made.values())),
        rivals=(),
    )
    judgement = alone.judgement()

    for name, ids in found_by_name(alone, judgement).items():
        assert ids <= {made for key, made in alone.made.items() if _name_of(alone, key) == name}
    for key, verdict in judgement.verdicts.items():
        if isinstance(verdict, Absent) and key in alone.made:
            # Its entity was given to an equal twin, whose own was not made.
            twins = [k for k in judgement.verdicts if _name_of(alone, k) == _name_of(alone, key)]
            assert alone.made[key] in {found_ids(judgement).get(twin) for twin in twins}


@given(world=ANY)
def test_before_everything_is_settled_only_our_mark_finds(world: World) -> None:
    for key, verdict in world.judgement().verdicts.items():
        if not world.is_settled(key):
            event(told(verdict).split()[0])
            assert told(verdict) == "too_soon" or told(verdict).endswith(" by mark")


@given(world=ANY)
def test_no_row_is_given_to_two_intents(world: World) -> None:
    ids = Counter(found_ids(world.judgement()).values())

    assert all(times == 1 for times in ids.values())


# --- our own row, damaged ----------------------------------------------------------------------

DELETABLE = ("name", "account_id", "campaign_id", "status", "effective_status", "created_time")
CORRUPT: dict[str, tuple[object, ...]] = {
    "name": ("Nobody's", "spring", "", " ", "Winter \x00"),
    "account_id": ("2000000000000002", "", "act_7"),
    "campaign_id": ("23850000000000102", "23850000000000101", "", "7"),
    "status": ("ACTIVE", "ARCHIVED", ""),
    "effective_status": ("ACTIVE", "ARCHIVED", ""),
    "created_time": ("2020-01-01T00:00:00+0000", "2030-01-01T00:00:00+0000", "soon", ""),
}


@st.composite
def damaged(draw: st.DrawFn, *, marked: bool) -> tuple[World, str, Row]:
    """A world, an item that was made and would be judged, and its row with one field damaged."""
    world = draw(worlds(marked=marked))
    keys = [key for key in world.made if _is_asked(world, key) and world.row_of(key)]
    assume(keys)
    key = draw(st.sampled_from(keys))
    own = world.row_of(key)
    assert own is not None
    # A name that bears the only mark shown cannot lose itself and keep its mark.
    only_in_name = bool(own.marks.item_parts) and not own.marks.label_parts
    name = draw(st.sampled_from(DELETABLE[1:] if only_in_name else DELETABLE))
    value: object = None
    if draw(st.booleans()) and own.marks.document_parts:
        value = draw(st.sampled_from(CORRUPT[name]))
        if name == "name" and own.name is not None:  # the mark in it stays (A5)
            value = str(value) + own.name[len(split_name(own.name)[0]) :]
    changes: dict[str, Any] = {name: value}
    return world, key, replace(own, **changes)


@given(one=damaged(marked=True))
def test_with_a_mark_no_single_damaged_field_of_our_row_makes_it_absent(
    one: tuple[World, str, Row],
) -> None:
    """Its mark and source id apart (A5), deleted or, where its mark shows, corrupted."""
    world, key, row = one

    verdict = world.with_changed(row).judgement().verdicts[key]

    event(told(verdict).split()[0])
    assert not isinstance(verdict, Absent)


@given(one=damaged(marked=False))
def test_without_a_mark_no_missing_field_of_our_row_makes_it_absent(
    one: tuple[World, str, Row],
) -> None:
    """A corrupted name or time of an unmarked row is another name or time: a stated blind spot."""
    world, key, row = one
    before, after = world.judgement(), world.with_changed(row).judgement()
    # Of equal twins the one whose row is damaged may not be the one that goes without.
    mine = found_ids(before).get(key) == row.id

    assert not (mine and isinstance(after.verdicts[key], Absent))


# --- a row more, a row less --------------------------------------------------------------------


@given(world=MARKED, data=st.data())
def test_with_marks_removing_rows_never_makes_a_wrong_found(world: World, data: Any) -> None:
    ids = [listed.id for _, listed in world.rows]
    gone: set[str] = data.draw(st.sets(st.sampled_from(ids))) if ids else set()

    for key, external_id in found_ids(world.without(*gone).judgement()).items():
        assert external_id == world.made[key]


@given(world=ANY, data=st.data())
def test_a_row_missing_from_one_of_two_walks_changes_no_verdict(world: World, data: Any) -> None:
    which = data.draw(st.sampled_from((0, 1)))

    def lose_one(walks: list[Listing]) -> list[Listing]:
        return [
            replace(one, rows=one.rows[1:]) if index % 2 == which else one
            for index, one in enumerate(walks)
        ]

    assert all_told(world.judgement(lose_one)) == all_told(world.judgement())


@given(world=MARKED, extra=near_miss_rows(NEW_ID))
def test_with_marks_an_entity_without_ours_changes_no_found_and_makes_none(
    world: World, extra: tuple[Any, Row]
) -> None:
    assert found_ids(world.with_row(*extra).judgement()) == found_ids(world.judgement())


@given(world=UNMARKED, extra=near_miss_rows(NEW_ID))
def test_without_marks_an_entity_more_never_frees_a_name_and_never_changes_who_is_found(
    world: World, extra: tuple[Any, Row]
) -> None:
    before, after = world.judgement(), world.with_row(*extra).judgement()

    for key, verdict in before.verdicts.items():
        if told(verdict) in (Reason.AMBIGUOUS, Reason.CONTESTED):
            event(told(verdict))
            assert not isinstance(after.verdicts[key], Found)
    found_after = found_by_name(world, after)
    for name, ids in found_by_name(world, before).items():
        # None is found any more, or the same and, of equal twins, perhaps one more.
        assert ids <= found_after.get(name, ids)


# --- order -------------------------------------------------------------------------------------


@given(world=ANY, data=st.data())
def test_the_order_of_rows_walks_rivals_and_items_asked_about_changes_nothing(
    world: World, data: Any
) -> None:
    def shuffle(walks: list[Listing]) -> list[Listing]:
        mixed = [replace(w, rows=tuple(data.draw(st.permutations(w.rows)))) for w in walks]
        return data.draw(st.permutations(mixed))  # type: ignore[no-any-return]

    other = replace(
        world,
        rivals=tuple(data.draw(st.permutations(world.rivals))),
        bindings=dict(data.draw(st.permutations(list(world.bindings.items())))),
    )

    assert all_told(other.judgement(shuffle)) == all_told(world.judgement())
    assert other.judgement(shuffle).surplus == world.judgement().surplus


# --- the strategies are worth their name -------------------------------------------------------


def test_every_verdict_and_every_reason_of_a_row_occurs() -> None:
    seen: Counter[str] = Counter()

    @settings(max_examples=500, derandomize=True, database=None)
    @given(world=ANY)
    def collect(world: World) -> None:
        for verdict in world.judgement().verdicts.values():
            line = told(verdict)
            seen[f"found by {line.split()[-1]}" if line.startswith("found") else line] += 1

    collect()

    wanted = {
        "found by mark",
        "found by name_and_time",
        "absent",
        Reason.TOO_SOON,
        Reason.AMBIGUOUS,
        Reason.TWINS,
        Reason.CONTESTED,
        Reason.UNPROVEN_ROW,
        Reason.MARK_LOST,
        Reason.ECHO_UNPROVEN,
    }
    assert wanted - {word for word, times in seen.items() if times} == set(), seen
