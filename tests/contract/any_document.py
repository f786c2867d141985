"""Any document at all, every field of it filled in some example: Hypothesis strategies."""

from __future__ import annotations

from datetime import timedelta, timezone

from hypothesis import strategies as st

from reconciler.mark import ALPHABET, Mark
from reconciler.model import (
    Account,
    Attempt,
    AttemptOutcome,
    BlockReason,
    Call,
    CallError,
    Container,
    ContainerKind,
    Document,
    DocumentState,
    Grade,
    Intent,
    Item,
    ItemState,
    JudgedItem,
    Kind,
    Lease,
    Next,
    NextAction,
    Origin,
    Outcome,
    Purpose,
    Reason,
    Surplus,
    Timings,
)
from tests.contract.ledger_documents import ACCOUNT
from tests.contract.ledgers import NOON

_words = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=12)
_ids = st.from_regex(r"[1-9][0-9]{0,17}", fullmatch=True)
_count = st.integers(0, 10_000)
_zones = st.sampled_from([timedelta(hours=h) for h in (-12, -7, 0, 2, 14)]).map(timezone)
times = st.datetimes(
    NOON.replace(year=1971, tzinfo=None), NOON.replace(year=2200, tzinfo=None), timezones=_zones
)
_durations = st.timedeltas(timedelta(0), timedelta(days=2))
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
_objects = st.dictionaries(st.text(max_size=6), _json, max_size=3)
_containers = st.builds(Container, kind=st.sampled_from(ContainerKind), id=_ids)
_part = st.text(ALPHABET, min_size=6, max_size=6)
_marks = st.builds(Mark, st.text(ALPHABET, min_size=16, max_size=16).map("rc1-".__add__), _part)
_errors = st.builds(
    CallError,
    row=_words,
    message=st.text(max_size=9),
    http_status=st.none() | _count,
    code=st.none() | _count,
    subcode=st.none() | _count,
    trace_id=st.none() | st.text(max_size=9),
)


@st.composite
def _calls(draw: st.DrawFn, attempts: tuple[Attempt, ...]) -> tuple[Call, ...]:
    """Each of an attempt that stands: the ledger loses none."""
    count = draw(st.integers(0, 3)) if attempts else 0
    return tuple(
        draw(
            st.builds(
                Call,
                number=st.just(number),
                attempt=st.sampled_from([attempt.number for attempt in attempts]),
                started_at=times,
                ended_at=st.none() | times,
                outcome=st.none() | st.sampled_from(Outcome),
                external_id=st.none() | _ids,
                error=st.none() | _errors,
            )
        )
        for number in range(1, count + 1)
    )


@st.composite
def _intents(draw: st.DrawFn, external_ids: list[str], attempts: tuple[Attempt, ...]) -> Intent:
    external_id = external_ids.pop() if draw(st.booleans()) else None
    return draw(
        st.builds(
            Intent,
            kind=st.sampled_from(Kind),
            name=_words,
            container=_containers,
            fingerprint=_words,
            mark=st.none() | _marks,
            mark_in_name=st.booleans(),
            facts=_count,
            calls=_calls(attempts),
            reason=st.none() | st.sampled_from(Reason),
            external_id=st.just(external_id),
            found_by=st.none() if external_id is None else st.sampled_from(Grade),
            created_time=st.none() | times,
            effective_status=st.none() | _words,
            attributes=st.none() | _objects,
            warnings=st.lists(st.text(max_size=9), max_size=2).map(tuple),
            unlisted_since=st.none() | times,
        )
    )


@st.composite
def _items(draw: st.DrawFn, attempts: tuple[Attempt, ...]) -> tuple[Item, ...]:
    keys = draw(st.lists(_words, unique=True, min_size=1, max_size=4))
    external_ids = draw(st.lists(_ids, unique=True, min_size=len(keys), max_size=len(keys)))
    return tuple(
        draw(
            st.builds(
                Item,
                key=st.just(key),
                position=st.just(position),
                kind=st.sampled_from(Kind),
                name=_words,
                params=_objects,
                parent=st.none() | _containers,
                parent_ref=st.none() | _words,
                item_part=_part,
                is_twin=st.booleans(),
                state=st.sampled_from(ItemState),
                refs=st.frozensets(_words, max_size=2),
                intent=st.none() | _intents(external_ids, attempts),
            )
        )
        for position, key in enumerate(keys)
    )


_timings = st.builds(
    Timings,
    lease=_durations,
    lease_margin=_durations,
    call_timeout=_durations,
    late_landing=_durations,
    listing_lag=_durations,
    clock_skew=_durations,
)


@st.composite
def _attempts(draw: st.DrawFn) -> tuple[Attempt, ...]:
    count = draw(st.integers(0, 2))
    return tuple(
        draw(
            st.builds(
                Attempt,
                number=st.just(number),
                lease_epoch=_count,
                owner=_words,
                started_at=times,
                lease_until=times,
                timings=_timings,
                finished_at=st.none() | times,
                outcome=st.none() | st.sampled_from(AttemptOutcome),
                error=st.none() | _words,
            )
        )
        for number in range(1, count + 1)
    )


_verdicts = st.lists(
    st.builds(
        JudgedItem,
        item=_words,
        verdict=st.sampled_from(["found", "absent", "inconclusive"]),
        reason=st.none() | st.sampled_from(Reason),
        judged_at=times,
        evidence_id=_words,
        evidence_hash=_words,
    ),
    max_size=3,
    unique_by=lambda verdict: verdict.item,
).map(tuple)
_surplus = st.lists(
    st.builds(
        Surplus,
        external_id=_ids,
        kind=st.sampled_from(Kind),
        item=st.none() | _words,
        known=st.booleans(),
    ),
    max_size=3,
    unique_by=lambda surplus: (surplus.kind, surplus.external_id),
).map(tuple)
accounts = st.builds(
    Account,
    id=st.just(ACCOUNT),
    reason=st.none() | st.sampled_from(BlockReason),
    until=st.none() | times,
    token_print=st.none() | _words,
    failures=_count,
)


@st.composite
def documents(draw: st.DrawFn, document_id: str = "d1") -> Document:
    """Any document, every field of it filled in some example; its lease, if any, has ended."""
    epoch, attempts = draw(_count), draw(_attempts())
    leases = st.builds(
        Lease,
        owner=_words,
        epoch=st.just(epoch),
        until=times.filter(lambda until: until <= NOON),
        purpose=st.sampled_from(Purpose),
    )
    return draw(
        st.builds(
            Document,
            id=st.just(document_id),
            key=st.just(document_id),
            plan_hash=_words,
            account_id=st.just(ACCOUNT),
            container=_containers,
            created_at=times,
            since=times,
            origin=st.sampled_from(Origin),
            revision=_count,
            title=st.none() | _words,
            mark_part=st.none() | _words,
            state=st.sampled_from(DocumentState),
            due_at=st.none() | times,
            began_at=st.none() | times,
            publish_said_at=st.none() | times,
            cancel_requested=st.booleans(),
            attempts_used=_count,
            recoveries=_count,
            backoff_step=_count,
            owes_look_from=st.none() | times,
            lease=st.none() | leases,
            lease_epoch=st.just(epoch),
            items=_items(attempts),
            attempts=st.just(attempts),
            surplus=_surplus,
            verdicts=_verdicts,
            next=st.just(Next(action=NextAction.NONE, why="")),
        )
    )
