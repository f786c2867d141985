"""What an engine of somebody else's is told to drive."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from fixtures.stage import Stage
from reconciler.due_now import due_now
from reconciler.model import BlockReason
from reconciler.publish import publish
from tests.crash.plans import ONE_AD, ads


def in_account(number: int, name: str) -> dict[str, object]:
    return {**ads(name), "account_id": f"act_{number}"}


def test_each_accounts_first_stands_before_anybodys_second() -> None:
    stage = Stage()
    crowd = [stage.submit(in_account(1001, f"{n}"), publish=True) for n in range(5)]
    stage.time.pass_(timedelta(seconds=1))
    late = stage.submit(in_account(1002, "late"), publish=True)

    told = stage.time.run(due_now(stage.process(), 3))

    assert set(told[:2]) == {crowd[0], late}
    assert told[2] in crowd[1:]
    stage.close()


def test_what_rests_waits_or_may_not_be_served_is_not_told() -> None:
    stage = Stage()
    draft, done = stage.submit(ads("draft")), stage.submit(ONE_AD)
    stage.time.run(publish(done, stage.process()))
    queued = stage.submit(in_account(1002, "of a closed account"), publish=True)
    worker = stage.process()

    async def close() -> None:
        account = await worker.ledger.account("act_1002")
        until = await worker.ledger.now() + timedelta(hours=1)
        closed = replace(account, reason=BlockReason.THROTTLED, until=until)
        await worker.ledger.set_account(closed, account)

    assert stage.time.run(due_now(worker, 10)) == (queued,)
    stage.time.run(close())
    assert stage.time.run(due_now(worker, 10)) == ()
    assert draft != done
    stage.close()


def test_none_is_told_twice_nor_more_than_are_asked_for() -> None:
    stage = Stage()
    waiting = {stage.submit(in_account(1001, f"{n}"), publish=True) for n in range(4)}

    told = stage.time.run(due_now(stage.process(), 10))

    assert (len(told), set(told)) == (4, waiting)
    assert len(stage.time.run(due_now(stage.process(), 2))) == 2
    stage.close()
