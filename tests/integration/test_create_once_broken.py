"""What a program's send breaks is counted and said; and the block, whose body may say nothing."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest

from fixtures.stage import Stage
from reconciler.errors import AlreadyMade, BindingTaken, NotSettled, WrongState
from reconciler.model import (
    AttemptOutcome,
    Document,
    DocumentState,
    ItemState,
    NextAction,
)
from reconciler.open_intent import OpenIntent
from tests.crash.plans import FOUR_ADS, ONE_AD, ads
from tests.crash.programs import sender
from tests.integration.programs import Program, Send, ids_of, told

# --- assumptions that a send breaks --------------------------------------------------------------


def test_a_send_that_outlives_its_time_is_recorded_counted_and_warned_of(
    stage: Stage, program: Program, caplog: pytest.LogCaptureFixture
) -> None:
    document_id = stage.submit(ONE_AD)

    made = program.made(document_id, "a1", deaf_for(program, 41))

    (warning,) = stage.document(document_id).item("a1").intent.warnings  # type: ignore[union-attr]
    assert [made] == ids_of(stage)
    assert told(stage, document_id) == ["A2"]
    assert warning == "A2: send took 41.0 s, and may take 30 s"
    assert warning in caplog.text


def deaf_for(program: Program, seconds: float) -> Send:
    """Hears nothing of its time, and sends its request at the end of it."""

    async def deaf(intent: OpenIntent) -> str | int:
        until = asyncio.get_running_loop().time() + seconds
        while (left := until - asyncio.get_running_loop().time()) > 0:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(left)
        return await sender(program.outside)(intent)

    return deaf


def test_a_send_that_outlived_its_lease_is_told_the_id_of_whoever_made_it_meanwhile() -> None:
    """Outside A2 and A3: its own entity is surplus, and no id of it is handed out."""
    stage = Stage()
    document_id, program, other = stage.submit(ONE_AD), Program(stage), Program(stage)

    async def both() -> tuple[str, str]:
        late = asyncio.create_task(program.makes(document_id, "a1", deaf_for(program, 1000)))
        await asyncio.sleep(900)
        for _ in range(9):
            with contextlib.suppress(NotSettled):
                return await other.makes(document_id, "a1"), await late
            await asyncio.sleep(10)
        raise AssertionError("it was never let through")

    in_time, late = stage.time.run(both())

    document = stage.document(document_id)
    assert late == in_time
    assert [extra.external_id for extra in document.surplus] == [ids_of(stage)[1]]
    assert told(stage, document_id) == ["A2"]
    stage.close()


def test_what_a_send_made_of_a_document_that_was_cancelled_meanwhile_is_surplus() -> None:
    stage = Stage()
    document_id, program = stage.submit(ONE_AD), Program(stage)

    async def cancelled_meanwhile() -> None:
        late = asyncio.create_task(program.makes(document_id, "a1", deaf_for(program, 1000)))
        await asyncio.sleep(1)
        await program.product.cancel(document_id)
        for _ in range(9):
            await asyncio.sleep(100)
            await program.product.read(document_id)
        with pytest.raises(WrongState, match="recorded as surplus"):
            await late

    stage.time.run(cancelled_meanwhile())

    document = stage.document(document_id)
    assert document.state is DocumentState.CANCELLED
    assert [extra.external_id for extra in document.surplus] == ids_of(stage)
    stage.close()


def test_a_send_that_never_read_the_labels_is_counted_and_warned_of() -> None:
    """What it made bears no mark: had its reply been lost, nobody could have told it for ours."""
    stage = Stage()
    document_id, program = stage.submit(ONE_AD), Program(stage)

    async def careless(_: OpenIntent) -> int:
        return 77

    program.made(document_id, "a1", careless)

    assert told(stage, document_id) == ["A5"]
    stage.close()


def test_a_second_id_is_a_second_entity_told_as_surplus() -> None:
    stage = Stage()
    document_id, program = stage.submit(ONE_AD), Program(stage)
    retried: list[Any] = []

    async def twice() -> None:
        async with program.product.intent(document_id, "a1") as intent:
            for _ in range(2):
                retried.append(await sender(program.outside)(intent))
                await intent.confirm(retried[-1])

    stage.time.run(twice())

    document = stage.document(document_id)
    assert told(stage, document_id) == ["A8"]
    assert [extra.external_id for extra in document.surplus] == retried[1:]
    assert document.next.action is NextAction.DECIDE
    stage.close()


def test_a_second_id_that_is_another_items_is_no_surplus_of_this_one() -> None:
    """A mixed-up id says nothing of a second entity: a person would be sent to delete a good ad."""
    stage = Stage()
    others, document_id = stage.submit(ONE_AD, key="other"), stage.submit(ONE_AD)
    program = Program(stage)
    taken = program.made(others, "a1", sender(program.outside))

    async def mixes_up() -> None:
        async with program.product.intent(document_id, "a1") as intent:
            await intent.confirm(await sender(program.outside)(intent))
            with pytest.raises(BindingTaken):
                await intent.confirm(taken)

    stage.time.run(mixes_up())

    document = stage.document(document_id)
    assert document.item("a1").state is ItemState.CONFIRMED
    assert document.surplus == ()
    assert told(stage, document_id) == []
    stage.close()


def test_what_is_no_id_is_refused_and_the_item_stays_pending(
    stage: Stage, program: Program
) -> None:
    document_id = stage.submit(ONE_AD)

    async def answers_with_an_object(intent: OpenIntent) -> Any:
        return {"id": intent.name}

    with pytest.raises(ValueError, match="all digits"):
        program.made(document_id, "a1", answers_with_an_object)

    assert stage.document(document_id).item("a1").state is ItemState.PENDING


@pytest.mark.parametrize("said", ["0", "0123", "1" * 33, "12a", "\u0661\u0662", "", -1, 1.0, True])
def test_what_the_api_never_gives_as_an_id_is_recorded_as_none(
    stage: Stage, program: Program, said: Any
) -> None:
    """What is recorded can be asked for: plans and the HTTP service take no other ids."""
    document_id = stage.submit(ONE_AD)

    async def answers(intent: OpenIntent) -> Any:
        await program.send(intent)
        return said

    with pytest.raises(ValueError, match="all digits"):
        program.made(document_id, "a1", answers)

    assert stage.document(document_id).item("a1").state is ItemState.PENDING
    assert [program.made(document_id, "a1")] == ids_of(stage)


@pytest.mark.parametrize("same_document", [True, False])
def test_the_id_of_another_item_is_refused_as_that_and_the_item_is_found(
    stage: Stage, program: Program, same_document: bool
) -> None:
    first = stage.submit(FOUR_ADS)
    document_id = first if same_document else stage.submit(ads("Autumn"))
    item = "a2" if same_document else "a1"
    others = program.made(first, "a1")

    async def mixes_up(intent: OpenIntent) -> str:
        await program.send(intent)
        return others

    with pytest.raises(BindingTaken, match="another intent") as refused:
        program.made(document_id, item, mixes_up)
    document = stage.document(document_id)
    found = program.made(document_id, item)

    assert refused.value.external_id == others
    assert "found by its mark" in refused.value.next_step
    assert (document.item(item).state, document.surplus) == (ItemState.PENDING, ())
    assert document.attempts[-1].outcome is AttemptOutcome.UNRESOLVED
    assert [others, found] == ids_of(stage)


# --- the block -----------------------------------------------------------------------------------


def test_a_block_is_entered_only_where_a_create_is_due(stage: Stage, program: Program) -> None:
    document_id = stage.submit(ONE_AD)

    async def block() -> str | None:
        async with program.product.intent(document_id, "a1") as intent:
            await intent.confirm(await program.send(intent))
        return intent.external_id

    made = stage.time.run(block())
    with pytest.raises(AlreadyMade) as refused:
        stage.time.run(block())

    assert refused.value.external_id == made
    assert [made] == ids_of(stage)


def test_an_id_is_durable_before_the_block_ends(stage: Stage, program: Program) -> None:
    document_id = stage.submit(ONE_AD)

    async def block() -> Document:
        async with program.product.intent(document_id, "a1") as intent:
            await intent.confirm(await program.send(intent))
            return (await stage.ledger.read(document_id)).document

    inside = stage.time.run(block())

    assert inside.item("a1").state is ItemState.CONFIRMED
    assert inside.state is DocumentState.PUBLISHING


@pytest.mark.parametrize("says", ["nothing", "rejected", "raises"])
def test_how_a_block_ends_is_how_its_call_ended(stage: Stage, program: Program, says: str) -> None:
    document_id = stage.submit(ONE_AD)
    raised = {"nothing": NotSettled, "rejected": None, "raises": KeyError}[says]
    state = {"rejected": ItemState.REJECTED}.get(says, ItemState.PENDING)

    async def block() -> None:
        async with program.product.intent(document_id, "a1") as intent:
            if says == "rejected":
                await intent.reject("the budget is too low, access_token=SECRETSECRET")
            if says == "raises":
                raise KeyError

    if raised is None:
        stage.time.run(block())
    else:
        with pytest.raises(raised) as ended:
            stage.time.run(block())
        assert ("ended without confirm or reject" in str(ended.value)) is (says == "nothing")

    document = stage.document(document_id)
    assert document.item("a1").state is state
    assert document.lease is None
    assert "SECRETSECRET" not in str(document)
