"""One machine drives the memory ledger and SQLite with the same operations: their answers agree.

Whole views are compared, and what is raised, so that the simulator's ledger is as strict as the one
that ships.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from adapters.store.sqlite import SqliteLedger
from fixtures.memory_ledger import MemoryLedger
from reconciler.errors import ReconcilerError
from reconciler.model import (
    Account,
    BlockReason,
    Document,
    DocumentState,
    Grade,
    Item,
    ItemState,
    Kind,
    Origin,
    Surplus,
)
from reconciler.ports import (
    Anyhow,
    Around,
    Change,
    Claim,
    Decide,
    Event,
    Fenced,
    Guard,
    LeaseFree,
    SettleLease,
    Takeover,
    View,
)
from reconciler.verdict import Evidence
from tests.contract.ledger_documents import ACCOUNT, attempt, call, document, intent, item
from tests.contract.ledgers import OpenLedger, StandingClock

IDS = ("d1", "d2", "d3")
KEYS = ("a0", "a1", "a2")
EXTERNAL_IDS = ("5", "6", "7")
AROUND = Around(
    names=frozenset((Kind.AD, "2001", f"Spring / {key}") for key in KEYS),
    external_ids=frozenset(EXTERNAL_IDS),
)

ids = st.sampled_from(IDS)
minutes = st.integers(0, 4).map(lambda count: timedelta(minutes=count))
owners = st.sampled_from(["me", "you"])
tokens = st.sampled_from([None, "t1", "t2"])
guards: st.SearchStrategy[Guard] = st.one_of(
    st.builds(Claim, owner=owners, duration=minutes, token_print=tokens),
    st.builds(SettleLease, owner=owners, duration=minutes),
    st.builds(Takeover, epoch=st.integers(0, 4)),
    st.builds(Fenced, owner=owners, epoch=st.integers(0, 4), left=st.none() | minutes),
    st.just(LeaseFree()),
    st.just(Anyhow()),
)


@st.composite
def items(draw: st.DrawFn, key: str) -> Item:
    """An item in any state, with the intent that a state may have."""
    state = draw(st.sampled_from(ItemState))
    if state in (ItemState.WAITING, ItemState.BLOCKED):
        return item(key, state=state)
    bound = draw(st.sampled_from(EXTERNAL_IDS)) if state is ItemState.CONFIRMED else None
    late = draw(st.none() | st.sampled_from(EXTERNAL_IDS))
    kind = draw(st.sampled_from([Kind.AD, Kind.AD, Kind.ADCREATIVE]))
    made = intent(
        name=f"Spring / {key}",
        kind=kind,
        external_id=bound,
        found_by=bound and draw(st.sampled_from(Grade)),
        calls=tuple(call(number, external_id=late) for number in range(1, draw(st.integers(1, 3)))),
    )
    return item(key, state=state, intent=made)


@st.composite
def decisions(draw: st.DrawFn) -> Decide:
    """Something to do to a document, the same for both ledgers."""
    new = {key: draw(items(key)) for key in draw(st.sets(st.sampled_from(KEYS)))}
    state = draw(st.none() | st.sampled_from(DocumentState))
    due = draw(st.none() | minutes)
    surplus = draw(st.lists(st.sampled_from(EXTERNAL_IDS), unique=True, max_size=2))
    gives_back, begins = draw(st.booleans()), draw(st.booleans())
    account = draw(st.none() | st.none() | accounts())
    told = draw(st.lists(st.sampled_from(["one", "two"]), max_size=2))

    def decide(view: View) -> Change:
        seen = view.document
        changed: dict[str, Any] = {
            "items": tuple(new.get(each.key, each) for each in seen.items),
            "surplus": tuple(Surplus(external_id=each, kind=Kind.AD) for each in surplus),
        }
        if state is not None:
            changed |= {"state": state}
        if due is not None:
            changed |= {"due_at": view.now + due - timedelta(minutes=2)}
        if gives_back:
            changed |= {"lease": None}
        if begins and seen.lease is not None:
            number = len(seen.attempts) + 1
            begun = attempt(number, lease_epoch=seen.lease_epoch, owner=seen.lease.owner)
            changed |= {"attempts": (*seen.attempts, begun)}
        return Change(
            document=replace(seen, **changed),
            account=account,
            events=tuple(Event(kind=kind, detail={"to": str(state)}) for kind in told),
            evidence=tuple(Evidence.of({"kind": kind}) for kind in told),
        )

    return decide


@st.composite
def accounts(draw: st.DrawFn) -> Account:
    """The account, open or closed."""
    reason = draw(st.none() | st.sampled_from(BlockReason))
    until = draw(st.none() | st.just(StandingClock().time + timedelta(minutes=3)))
    return Account(id=ACCOUNT, reason=reason, until=until, token_print=draw(tokens))


class TwoLedgers(RuleBasedStateMachine):
    """The same operations on both."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = StandingClock()
        self.ledgers: list[OpenLedger] = [
            MemoryLedger(self.clock),
            SqliteLedger.in_memory(now=self.clock),
        ]

    def teardown(self) -> None:
        """Close what is open."""
        for ledger in self.ledgers:
            asyncio.run(ledger.aclose())

    def agree(self, ask: Callable[[OpenLedger], Awaitable[object]]) -> object:
        """Ask both; the answers, or what is raised, must be equal."""
        answers = [asyncio.run(_answer(ask, ledger)) for ledger in self.ledgers]
        assert answers[0] == answers[1]
        return answers[0]

    @rule(document_id=ids, data=st.data())
    def submit(self, document_id: str, data: st.DataObject) -> None:
        """A new document, or its next revision with any of its items."""
        keys = sorted(data.draw(st.sets(st.sampled_from(KEYS), min_size=1)))
        new = tuple(data.draw(items(key)) for key in keys)
        state = data.draw(st.sampled_from(DocumentState))
        origin = data.draw(st.sampled_from([Origin.OURS, Origin.OURS, Origin.IMPORTED]))

        def accept(present: Document | None, now: datetime) -> Change | None:
            if present is not None:
                changed = replace(present, items=new, revision=present.revision + 1)
                return None if present.revision > 2 else Change(document=changed)
            plain = document(document_id, *new, state=state, origin=origin)
            return Change(document=replace(plain, due_at=now, since=now))

        self.agree(lambda ledger: ledger.submit(document_id, accept))

    @rule(
        document_id=ids,
        guard=guards,
        decide=decisions(),
        around=st.sampled_from([None, AROUND]),
        only=st.none() | st.sets(st.sampled_from(KEYS)),
    )
    def change(
        self,
        document_id: str,
        guard: Guard,
        decide: Decide,
        around: Around | None,
        only: set[str] | None,
    ) -> None:
        """Any decision behind any guard."""
        self.agree(
            lambda ledger: ledger.change(document_id, guard, decide, around=around, only=only)
        )

    @rule(document_id=ids, epoch=st.integers(0, 4), owner=owners, lease=minutes)
    def renew(self, document_id: str, epoch: int, owner: str, lease: timedelta) -> None:
        """A renewal, often by nobody."""
        self.agree(lambda ledger: ledger.renew(document_id, owner, epoch, lease))

    @rule(to=accounts(), seen=accounts())
    def set_account(self, to: Account, seen: Account) -> None:
        """Replace an account as it was seen, or was not."""
        self.agree(lambda ledger: ledger.set_account(to, seen))

    @rule(duration=minutes)
    def time_passes(self, duration: timedelta) -> None:
        """Leases end, documents fall due."""
        self.clock.pass_by(duration)

    @rule(document_id=ids)
    def look_around(self, document_id: str) -> None:
        """Bindings and rivals."""
        self.agree(lambda ledger: ledger.around(document_id, AROUND))

    @rule(state=st.none() | st.sampled_from(DocumentState))
    def count(self, state: DocumentState | None) -> None:
        """Counts and lines."""
        self.agree(lambda ledger: ledger.summaries(state=state))

    @invariant()
    def views_agree(self) -> None:
        """Whatever happened, both hold the same."""
        for document_id in IDS:
            self.agree(_whole(document_id))
        self.agree(lambda ledger: ledger.account(ACCOUNT))


def _whole(document_id: str) -> Callable[[OpenLedger], Awaitable[object]]:
    async def ask(ledger: OpenLedger) -> object:
        return await ledger.read(document_id), await ledger.journal(document_id)

    return ask


async def _answer(
    ask: Callable[[OpenLedger], Awaitable[object]], ledger: OpenLedger
) -> tuple[str, object]:
    try:
        return "answered", await ask(ledger)
    except (ReconcilerError, AssertionError) as error:
        return "raised", (type(error).__name__, getattr(error, "external_id", None))


TwoLedgers.TestCase.settings = settings(
    max_examples=settings().max_examples // 2, stateful_step_count=30
)
TestTwoLedgersAgree = TwoLedgers.TestCase
