"""What every ledger in a database promises beside the port: what it keeps, mends and refuses."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final

import pytest
import pytest_asyncio

from adapters.store.ledger import SqlLedger
from reconciler.errors import BindingTaken, LedgerUnavailable, UnknownDocument
from reconciler.model import AttemptOutcome, CallError, ItemState
from reconciler.ports import Anyhow, Change, Event
from reconciler.verdict import Evidence
from tests.contract.ledger_documents import (
    accepting,
    attempt,
    bound,
    call,
    document,
    intent,
    item,
    put,
    queued,
    setting,
    unchanged,
    with_items,
)
from tests.contract.ledgers import NOON, StandingClock
from tests.databases import asked, opened

ODD: Final = "cut \ud83d here \x00."
MENDED: Final = "cut \ufffd here \ufffd."
FOUND: Final = Evidence.of({"pages": 3, "name": ODD})


@pytest_asyncio.fixture
async def ledger(ledger_url: str, clock: StandingClock) -> AsyncIterator[SqlLedger]:
    """A new ledger in each database."""
    async with opened(ledger_url, clock) as found:
        yield found


# --- evidence --------------------------------------------------------------------------------


async def _with_evidence(ledger: SqlLedger) -> None:
    await put(ledger, queued())
    await ledger.change("d1", Anyhow(), lambda view: replace(unchanged(view), evidence=(FOUND,)))
    assert await ledger.evidence(FOUND.id) == FOUND


@pytest.mark.parametrize(
    "alter",
    [
        "UPDATE evidence SET body = replace(body, '3', '4')",
        "UPDATE evidence SET body = substr(body, 2)",
        "UPDATE evidence SET hash = '0' || substr(hash, 2)",
    ],
)
async def test_altered_evidence_is_refused(ledger: SqlLedger, ledger_url: str, alter: str) -> None:
    await _with_evidence(ledger)
    asked(ledger_url, alter)

    with pytest.raises(LedgerUnavailable, match="hash"):
        await ledger.evidence(FOUND.id)


async def test_sound_evidence_under_the_id_of_another_is_refused(
    ledger: SqlLedger, ledger_url: str
) -> None:
    await _with_evidence(ledger)
    asked(ledger_url, "UPDATE evidence SET id = 'ev_other'")

    with pytest.raises(LedgerUnavailable, match="hash"):
        await ledger.evidence("ev_other")


# --- the unique binding ----------------------------------------------------------------------


async def test_the_index_has_the_last_word_on_bindings(
    ledger: SqlLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where two transactions run at once, both may have looked before either wrote."""
    await put(ledger, document("d1", bound("a1", "5")), document("d2", item("a1")))
    monkeypatch.setattr("adapters.store.binding.Bindings._refuse", lambda _: None)

    with pytest.raises(BindingTaken) as refused:
        await ledger.change("d2", Anyhow(), with_items(bound("a1", "5")))

    assert refused.value.external_id == "5"


# --- odd values ------------------------------------------------------------------------------


async def test_text_that_no_database_keeps_is_mended_and_the_record_saved(
    ledger: SqlLedger,
) -> None:
    """R051: NUL, which PostgreSQL refuses, and halves of surrogate pairs, which no UTF-8 has."""
    ended = attempt(error=ODD, outcome=AttemptOutcome.ERROR, finished_at=NOON)
    shown = replace(bound("a1", "5").intent or intent(), effective_status=ODD)
    await put(ledger, queued("d1", item("a1")))

    await ledger.change("d1", Anyhow(), setting(attempts=(ended,), title=ODD))
    await ledger.change(
        "d1", Anyhow(), with_items(item("a1", state=ItemState.CONFIRMED, intent=shown))
    )

    kept = (await ledger.read("d1")).document
    [made] = [each.intent for each in kept.items]
    assert (kept.title, kept.attempts[0].error) == (MENDED, MENDED)
    assert made is not None
    assert made.effective_status == MENDED


async def test_rows_of_the_api_are_kept_as_it_gave_them(ledger: SqlLedger) -> None:
    """R051: in JSON such text is written in escapes, and comes back letter for letter."""
    row = {"name": ODD, ODD: [1, True, 1.5, None, {"é": "\u202e\U0001f600"}], "big": 2**70}
    answered = call(error=CallError(row="E01", message=ODD))
    odd = intent(calls=(answered,), attributes=row, warnings=(ODD,))
    told = Event(kind="odd", detail=row)

    await put(ledger, queued("d1", item("a1", state=ItemState.PENDING, intent=odd, params=row)))
    await ledger.change("d1", Anyhow(), lambda view: Change(document=view.document, events=(told,)))

    [kept] = (await ledger.read("d1")).document.items
    assert (kept.intent, kept.params) == (odd, row)
    assert (await ledger.journal("d1"))[-1].event == told


@pytest.mark.parametrize("odd", [ODD, "\x00", "\udfff"])
async def test_what_no_database_keeps_names_nothing(ledger: SqlLedger, odd: str) -> None:
    """Asked for by it, there is no such document and no such evidence."""
    await put(ledger, queued())

    for asking in (
        lambda: ledger.read(odd),
        lambda: ledger.journal(odd),
        lambda: ledger.change(odd, Anyhow(), unchanged),
    ):
        with pytest.raises(UnknownDocument):
            await asking()
    with pytest.raises(LedgerUnavailable, match="no evidence"):
        await ledger.evidence(odd)


async def test_a_time_without_a_zone_is_refused(ledger: SqlLedger) -> None:
    """R055: which moment it means is not guessed."""
    await put(ledger, queued())
    before = await ledger.read("d1")

    with pytest.raises(ValueError, match="no zone"):
        await ledger.change("d1", Anyhow(), setting(owes_look_from=NOON.replace(tzinfo=None)))

    assert await ledger.read("d1") == before


async def test_names_of_any_script_are_kept_and_found(ledger: SqlLedger) -> None:
    plain = ("été", "e\u0301te\u0301", "春のキャンペーン", "ربيع", "a" * 400)
    names = (*plain, "\U0001f338 50 % \\ ' \" ;-- :name %(name)s")
    items = tuple(item(f"a{n}", name=name) for n, name in enumerate(names))

    await ledger.submit("d1", accepting(document("d1", *items)))

    kept = (await ledger.read("d1")).document.items
    assert tuple(each.name for each in kept) == names
