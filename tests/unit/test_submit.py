"""Submitting: one key, one document, however often and however differently the plan is sent."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest

from fixtures.memory_ledger import MemoryLedger
from fixtures.samples import item as sample_item
from reconciler.errors import InvalidPlan, WrongState
from reconciler.limits import Limits
from reconciler.mark import has_mark_form
from reconciler.model import DocumentState, Echo, ItemState, NextAction
from reconciler.plan import Plan, read_plan
from reconciler.ports import Anyhow, Change, Claim, View
from reconciler.submit import Submitted, draw, submit

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass
class Counting:
    """A `Chance` without chance: each token is the next number, spelt in letters."""

    numbers: Iterator[int] = field(default_factory=count)

    def _letters(self, length: int) -> str:
        number = next(self.numbers)
        return "".join(LETTERS[number // 26**place % 26] for place in reversed(range(length)))

    def document_id(self) -> str:
        return f"doc-{self._letters(4)}"

    def owner(self) -> str:
        return self._letters(8)

    def document_part(self) -> str:
        return f"rc1-{self._letters(16)}"

    def item_part(self) -> str:
        return self._letters(6)

    def fraction(self) -> float:
        return 0.5


class Stuck(Counting):
    """Gives the same item part for ever."""

    def item_part(self) -> str:
        return "aaaaaa"


def campaigns(*names: str, **top: Any) -> Plan:
    items = [
        {"key": f"c{n}", "kind": "campaign", "name": name, "params": {}}
        for n, name in enumerate(names)
    ]
    return read_plan({"account_id": "1", "items": items} | top, echo=Echo.LABEL)


@dataclass
class Desk:
    """A ledger and chance, and the command."""

    ledger: MemoryLedger = field(default_factory=lambda: MemoryLedger(clock=lambda: NOW))
    chance: Counting = field(default_factory=Counting)

    async def submit(
        self,
        plan: Plan,
        *,
        key: str | None = None,
        new: bool = False,
        publish: bool = False,
        echo: Echo = Echo.LABEL,
    ) -> Submitted:
        return await submit(
            plan,
            key=key,
            new=new,
            publish=publish,
            ledger=self.ledger,
            chance=self.chance,
            limits=Limits(echo=echo),
        )


async def test_a_new_plan_becomes_a_draft_under_its_hash() -> None:
    plan = campaigns("A", "B", title="Spring")
    said = await Desk().submit(plan)
    document = said.document

    assert (said.created, said.changed, said.warnings) == (True, False, ())
    assert (document.key, document.plan_hash, document.title) == (plan.hash, plan.hash, "Spring")
    assert (document.state, document.revision) == (DocumentState.DRAFT, 1)
    assert (document.created_at, document.since) == (NOW, NOW)
    assert (document.due_at, document.publish_said_at, document.began_at) == (None, None, None)
    assert [item.name for item in document.items] == ["A", "B"]


async def test_publish_queues_at_once_and_sends_nothing() -> None:
    document = (await Desk().submit(campaigns("A"), publish=True)).document

    assert document.state is DocumentState.QUEUED
    assert (document.due_at, document.publish_said_at, document.began_at) == (NOW, NOW, None)


async def test_marks_are_distinct_within_the_document_and_of_the_right_form() -> None:
    document = (await Desk().submit(campaigns(*(f"N{n}" for n in range(50))))).document

    assert document.mark_part is not None
    assert has_mark_form(document.mark_part)
    assert len({item.item_part for item in document.items}) == 50


async def test_a_chance_that_repeats_itself_is_noticed() -> None:
    with pytest.raises(AssertionError, match="repeats itself"):
        draw(Stuck(), 2)


async def test_with_echo_off_there_is_no_mark_and_that_is_said() -> None:
    said = await Desk().submit(campaigns("A"), echo=Echo.NONE)

    assert said.document.mark_part is None
    assert "no mark" in said.warnings[0]


async def test_the_same_plan_again_gives_the_same_document_and_changes_nothing() -> None:
    desk = Desk()
    first = await desk.submit(campaigns("Été"))
    again = await desk.submit(campaigns(" E\u0301te\u0301", account_id="act_1"))

    assert (again.created, again.changed) == (False, False)
    assert again.document == first.document
    assert len(await desk.ledger.journal(first.document.id)) == 1


async def test_publish_queues_a_draft_that_is_known_already_once() -> None:
    desk = Desk()
    first = await desk.submit(campaigns("A"))
    again, more = [await desk.submit(campaigns("A"), publish=True) for _ in range(2)]

    assert (again.created, again.changed, again.warnings) == (False, True, ())
    assert (more.created, more.changed) == (False, False)
    assert (again.document.id, again.document.revision) == (first.document.id, 1)
    assert (again.document.state, again.document.due_at) == (DocumentState.QUEUED, NOW)
    assert again.document.publish_said_at == NOW
    assert again.document.next.action is NextAction.PUBLISH
    told = [line.event.kind for line in await desk.ledger.journal(first.document.id)]
    assert told == ["submitted", "queued"]


async def test_publish_queues_a_draft_with_its_next_revision() -> None:
    desk = Desk()
    await desk.submit(campaigns("A"), key="K")
    said = await desk.submit(campaigns("B"), key="K", publish=True)

    assert (said.document.state, said.document.revision) == (DocumentState.QUEUED, 2)
    told = [line.event.kind for line in await desk.ledger.journal(said.document.id)]
    assert told == ["submitted", "revised", "queued"]


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (DocumentState.DRAFT, "reconciler publish ID makes it"),
        (DocumentState.QUEUED, ""),
        (DocumentState.PUBLISHING, ""),
        (DocumentState.HELD, "reconciler explain ID says what a person must decide"),
        (DocumentState.FAILED, "reconciler publish ID makes what may still be sent"),
        (DocumentState.PARTLY_PUBLISHED, "reconciler publish ID makes what may still be sent"),
        (DocumentState.PUBLISHED, "--new makes it once more"),
        (DocumentState.CANCELLED, "--new makes it once more"),
    ],
)
async def test_a_known_plan_says_what_to_do_and_only_at_its_end_how_to_make_a_second_set(
    state: DocumentState, told: str
) -> None:
    desk = Desk()
    first = await desk.submit(campaigns("A"))
    await desk.ledger.change(
        first.document.id,
        Anyhow(),
        lambda view: Change(document=replace(view.document, state=state)),
    )

    [warning] = (await desk.submit(campaigns("A"))).warnings

    known = f"nothing was changed: this plan is known and {state.value.replace('_', ' ')}"
    told = told.replace("ID", first.document.id)
    assert warning == (f"{known}; {told}" if told else known)


async def test_a_second_set_is_offered_with_what_would_exist_twice() -> None:
    desk = Desk()
    first = await desk.submit(campaigns("A", "B"))
    made = (sample_item("a", ItemState.CONFIRMED), sample_item("b", ItemState.ABSENT))
    await desk.ledger.change(
        first.document.id,
        Anyhow(),
        lambda view: Change(
            document=replace(view.document, state=DocumentState.CANCELLED, items=made)
        ),
    )

    [warning] = (await desk.submit(campaigns("A", "B"))).warnings

    assert warning.endswith(
        "cancelled; --new makes it once more, though 1 of its 2 items exists outside and would be "
        "made a second time"
    )


async def test_new_means_once_more() -> None:
    desk = Desk()
    ids = {(await desk.submit(campaigns("A"), new=new)).document.id for new in (False, True, True)}

    assert len(ids) == 3


async def test_new_keeps_the_given_key_recognisable() -> None:
    document = (await Desk().submit(campaigns("A"), key="spring", new=True)).document

    assert document.key.startswith("spring-")


async def test_one_plan_under_two_keys_is_two_documents() -> None:
    desk = Desk()
    one, two = [await desk.submit(campaigns("A"), key=key) for key in ("one", "two")]

    assert one.document.id != two.document.id


@pytest.mark.parametrize("key", ["", " ", "x" * 201, "a\nb", "\ud83d", "a\0"])
async def test_a_key_that_cannot_be_shown_is_refused_before_anything_is_stored(key: str) -> None:
    desk = Desk()
    with pytest.raises(InvalidPlan, match="key"):
        await desk.submit(campaigns("A"), key=key)

    assert (await desk.ledger.summaries())[1] == ()


@pytest.mark.parametrize("key", ["x", "x" * 200, "Été 2026 / 1"])
async def test_any_printable_key_is_taken(key: str) -> None:
    assert (await Desk().submit(campaigns("A"), key=key)).document.key == key


async def test_a_changed_plan_under_the_same_key_is_the_next_revision() -> None:
    desk = Desk()
    first = await desk.submit(campaigns("A", "B"), key="K", publish=True)
    said = await desk.submit(campaigns("A", "C", "D"), key="K")
    document = said.document

    assert (said.created, said.changed) == (False, True)
    assert (document.id, document.revision) == (first.document.id, 2)
    assert (document.state, document.due_at) == (DocumentState.QUEUED, NOW)
    assert [item.name for item in document.items] == ["A", "C", "D"]
    assert len({item.item_part for item in document.items}) == 3
    assert [line.event.kind for line in await desk.ledger.journal(document.id)] == [
        "submitted",
        "queued",
        "revised",
    ]
    revised = (await desk.ledger.journal(document.id))[-1].event.detail
    assert (revised["added"], revised["removed"], revised["changed"]) == (["c2"], [], ["c1"])


async def test_new_items_get_fresh_marks_even_from_a_chance_that_began_again() -> None:
    desk = Desk()
    await desk.submit(campaigns("A", "B"), key="K")
    desk.chance = Counting()
    document = (await desk.submit(campaigns("A", "B", "C", "D"), key="K")).document

    assert len({item.item_part for item in document.items}) == 4


async def test_a_document_under_a_live_lease_takes_no_revision() -> None:
    desk = Desk()
    document = (await desk.submit(campaigns("A"), key="K", publish=True)).document
    claim = Claim(owner="w", duration=Limits().lease, token_print=None)
    await desk.ledger.change(document.id, claim, _as_it_is)

    with pytest.raises(WrongState, match="worked on"):
        await desk.submit(campaigns("B"), key="K")


def _as_it_is(view: View) -> Change:
    return Change(document=view.document)
