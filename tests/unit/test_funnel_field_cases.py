"""Cases from the field, as the funnel sees them. Echo is off unless the test says otherwise."""

from __future__ import annotations

from itertools import permutations

import pytest

from fixtures.funnel_world import (
    C1,
    C2,
    LIMITS,
    PART,
    all_told,
    attempt,
    bare,
    call,
    document,
    item,
    judged,
    rival,
    row,
    seconds,
    two_walks,
    walk,
)
from reconciler.model import Document, Kind, Reason
from reconciler.names import canonical
from reconciler.settling import next_look

RECOVERED = {"a1": "found 1001 by name_and_time"}
ABSENT = {"a1": "absent"}


def echo_off(name: str = "Spring") -> Document:
    """One ad set sent without a mark."""
    return document(item("a1", canonical(name), part=None), part=None)


def test_an_unlisted_entity_is_too_soon_and_then_recovered() -> None:
    """R012: lease 30 s; the list omits the entity until T0+120 s. Looks at T0+60 s and T0+211 s."""
    doc = document(item(part=None), part=None, attempts=(attempt(lease=30),))

    assert all_told(judged(doc, two_walks(started_at=seconds(60)))) == {"a1": "too_soon"}
    assert next_look(doc.items, doc.attempts, seconds(60), LIMITS.timings()) == seconds(90)
    assert all_told(judged(doc, two_walks(bare(), started_at=seconds(211)))) == RECOVERED


def test_a_listing_that_fails_says_nothing_about_any_intent() -> None:
    """R016: two unknown intents while every list call answers 500."""
    doc = document(item("a1", part=None), item("a2", "Autumn", part=None), part=None)
    withheld = {(C1, Kind.ADSET): Reason.LISTING_INCOMPLETE}

    assert all_told(judged(doc, [], incomplete=withheld)) == {
        "a1": "listing_incomplete",
        "a2": "listing_incomplete",
    }


def test_an_earlier_attempts_id_is_not_offered_for_a_later_attempts_call() -> None:
    """R017: attempt 1 made one item; attempt 2 began another of the same name and was lost."""
    doc = document(
        item("a1", part=None, calls=(call(1, attempt=2, start=44),)),
        item("a2", part=None, bound_to="1000"),
        part=None,
        attempts=(attempt(1, lease=40), attempt(2, start=43, lease=343)),
    )

    assert all_told(judged(doc, two_walks(bare("1000", created=1)))) == ABSENT
    both = two_walks(bare("1000", created=1), bare("1001", created=45))
    assert all_told(judged(doc, both)) == RECOVERED


@pytest.mark.parametrize("part", [PART, None])
def test_an_overlapping_page_counts_our_row_once(part: str | None) -> None:
    """R031: with a mark found; without, such a walk gives no verdict and is walked again."""
    doc = document(item("a1", part=part), part=part)
    ours = row("1001", labels=(part,) if part else ())

    overlapping = judged(doc, two_walks(ours, saw_an_id_twice=True))

    assert all_told(overlapping) == {"a1": "found 1001 by mark" if part else "listing_incomplete"}
    assert all_told(judged(doc, two_walks(ours)))["a1"].startswith("found 1001 ")


def test_an_archived_orphan_is_found() -> None:
    """R034: only the walk that asks for archived ones shows it."""
    first, second = two_walks()
    archived = walk(bare(status="ARCHIVED", effective_status="ARCHIVED"))

    assert all_told(judged(echo_off(), (archived, second))) == RECOVERED
    assert all_told(judged(echo_off(), (first, second))) == ABSENT


@pytest.mark.parametrize(
    "sparse",
    [
        bare("7", None, account_id=None, campaign_id=None, created=None),
        bare("7", "Spring", created=None),
        bare("7", None),
    ],
)
def test_sparse_rows_are_not_proven_and_leave_the_others_judged(sparse: object) -> None:
    """R035: `{id}`, `{id,name}` without created_time, `{id,name:null}`."""
    doc = document(item("a1"), item("a2", "Autumn", part=None, container=C2))
    other = two_walks(bare("1002", "Autumn", campaign_id=C2.id), container=C2)

    verdicts = judged(doc, (*two_walks(sparse), *other))  # type: ignore[arg-type]

    assert all_told(verdicts)["a1"] in ("unproven_row", "echo_unproven")
    assert all_told(verdicts)["a2"] == "found 1002 by name_and_time"


def test_the_newest_row_is_not_adopted_for_being_the_newest() -> None:
    """R036: a colleague's ad set of another name came 5 s after ours."""
    colleagues = bare("9999", "Colleague's", created=9)

    assert all_told(judged(echo_off(), two_walks(colleagues, bare()))) == RECOVERED
    assert all_told(judged(echo_off(), two_walks(colleagues))) == ABSENT


def test_a_name_that_contains_ours_or_differs_in_case_is_another() -> None:
    """R037."""
    rows = [bare("1", "Spring Sale 2"), bare("2", "Pre-Spring Sale"), bare("3", "spring sale")]

    assert all_told(judged(echo_off("Spring Sale"), two_walks(*rows))) == ABSENT
    assert all_told(judged(echo_off("Spring Sale"), [walk(*rows)])) == {"a1": "listing_incomplete"}


def test_campaign_and_account_are_part_of_the_match() -> None:
    """R038: one row in campaign C2, one in C1 but of another account."""
    rows = (bare("1", campaign_id=C2.id), bare("2", account_id="2000000000000002"))

    assert all_told(judged(echo_off(), two_walks(*rows))) == ABSENT


def test_a_twin_that_was_there_an_hour_before_is_never_ours() -> None:
    """R039: T0-3600 s is out; T0-2 s lies inside the skew and counts only if nothing else fits."""
    before, in_skew = bare("1", created=-3600), bare("1001", created=-2)

    assert all_told(judged(echo_off(), two_walks(before))) == ABSENT
    assert all_told(judged(echo_off(), two_walks(in_skew))) == RECOVERED
    assert all_told(judged(echo_off(), two_walks(in_skew, bare("2")))) == {"a1": "ambiguous"}


def test_two_rows_of_one_name_are_not_proven_in_whatever_order() -> None:
    """R040: two ad sets, T0+2 s and T0+4 s, one intent; then two intents of different requests."""
    rows = (bare("1", created=2), bare("2", created=4))
    unlike = document(
        item("a1", part=None, fingerprint="one"),
        item("a2", part=None, fingerprint="other"),
        part=None,
    )
    for order in permutations(rows):
        assert all_told(judged(echo_off(), two_walks(*order))) == {"a1": "ambiguous"}
        assert all_told(judged(unlike, two_walks(*order))) == {"a1": "twins", "a2": "twins"}


def test_two_installs_on_one_account_recover_their_own_or_nothing() -> None:
    """R041: same templates, both crashed within 10 s; each has its own ledger."""
    theirs = "rc1-cccccccccccccccc"
    rows = (row("1001"), row("1002", labels=(theirs,), created=8))
    staging = document(item("a1"))
    production = document(item("a1", part=theirs), part=theirs)

    assert all_told(judged(staging, two_walks(*rows))) == {"a1": "found 1001 by mark"}
    assert all_told(judged(production, two_walks(*rows))) == {"a1": "found 1002 by mark"}

    blind = two_walks(bare("1001"), bare("1002", created=8))
    assert all_told(judged(echo_off(), blind)) == {"a1": "ambiguous"}


def test_a_constant_name_adopts_nobody() -> None:
    """R042: the naming template is `Always On`; 30 rows bear it."""
    rows = [bare(str(n), "Always On") for n in range(30)]
    thirty = document(*(item(f"a{n}", "Always On", part=None) for n in range(30)), part=None)

    assert all_told(judged(echo_off("Always On"), two_walks(*rows))) == {"a1": "ambiguous"}
    assert set(all_told(judged(thirty, two_walks(*rows))).values()) == {"over_cap"}


def test_a_row_that_was_stored_under_another_name_is_not_adopted() -> None:
    """R044: with a mark it is held. Without one nothing ties it to us, so the design has it absent,
    and what was sent without a mark is never sent again by itself."""
    stored = "Acme Ads EUR"

    assert all_told(judged(document(), two_walks(row(name=stored)))) == {"a1": "mark_lost"}
    assert all_told(judged(echo_off(), two_walks(bare(name=stored)))) == ABSENT


def test_a_row_that_reads_active_is_recovered_all_the_same() -> None:
    """R047: sent PAUSED, reads ACTIVE. The warning is the reader's part."""
    active = bare(status="ACTIVE", effective_status="ACTIVE")

    assert all_told(judged(echo_off(), two_walks(active))) == RECOVERED


def test_one_name_in_two_normal_forms_is_one_name() -> None:
    """R048: the intent in NFD, the row in NFC; then another document has the NFC spelling."""
    decomposed, composed = "E\u0301te\u0301 – Lyon", "Été – Lyon"
    doc, listings = echo_off(decomposed), two_walks(bare(name=composed))

    assert all_told(judged(doc, listings)) == RECOVERED
    assert all_told(judged(doc, listings, rivals=(rival(canonical(composed)),))) == {
        "a1": "contested"
    }


@pytest.mark.parametrize(
    "stored", ["Retargeting 30d", "Retargeting\u00a030d", "Retargeting  30d ", " Retargeting 30d"]
)
def test_white_space_makes_no_other_name(stored: str) -> None:
    """R049."""
    doc = echo_off("Retargeting  30d ")

    assert all_told(judged(doc, two_walks(bare(name=stored)))) == RECOVERED


@pytest.mark.parametrize("name", ["É", "🇫🇷 👩‍👩‍👧 Soldes", "50% & plus+more #1"])
@pytest.mark.parametrize("damage", ["%C3%89", "50%25 & plus more #1", "50% & plus more #1", "É?"])
def test_a_name_is_compared_without_decoding_anything(name: str, damage: str) -> None:
    """R050."""
    assert all_told(judged(echo_off(name), two_walks(bare(name=name)))) == RECOVERED
    assert all_told(judged(echo_off(name), two_walks(bare(name=damage)))) == ABSENT


def test_an_offset_without_a_colon_is_the_same_moment() -> None:
    """R054: 05:00:04-0700 is 12:00:04Z, four seconds after the start."""
    verdict = judged(echo_off(), two_walks(bare(created="2026-03-10T05:00:04-0700"))).verdicts["a1"]

    assert verdict.created_at == seconds(4)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("created", "want"),
    [
        ("2026-03-10T12:00:00+0000", "found 1001 by name_and_time"),
        ("2026-03-10T11:59:58+0000", "found 1001 by name_and_time"),
        ("2026-03-10T11:58:00+0000", "absent"),
        ("2026-03-10T12:00:04", "unproven_row"),
    ],
)
def test_clock_skew_truncation_and_a_missing_zone(created: str, want: str) -> None:
    """R056: publishing started at 12:00:00.700Z."""
    doc = document(item(part=None), part=None, attempts=(attempt(start=0.7),))

    assert all_told(judged(doc, two_walks(bare(created=created)))) == {"a1": want}
