"""Who owns a document stands in its row on PostgreSQL, not in a session that may end."""

from __future__ import annotations

from datetime import timedelta

from reconciler.model import DocumentState
from reconciler.ports import Claim, Fenced
from tests.contract.ledger_documents import MINUTE, put, queued, unchanged
from tests.contract.ledgers import StandingClock
from tests.contract.postgres_hand import Hand
from tests.postgres import Postgres


async def test_sessions_that_end_take_no_lease_with_them(
    postgres: Postgres, clock: StandingClock
) -> None:
    """R076: all connections are cut during a publish; the fence still says who goes on."""
    hand = Hand(postgres.migrated())
    ours, other = hand.ledger(clock), hand.ledger(clock)
    await put(ours, queued())
    claimed = await ours.change(
        "d1", Claim(owner="me", duration=MINUTE, token_print=None), unchanged
    )
    assert claimed is not None
    fence = Fenced(owner="me", epoch=claimed.document.lease_epoch, left=timedelta(seconds=42))

    hand.cut_everybody_off()

    theirs = Claim(owner="other", duration=MINUTE, token_print=None)
    assert await other.change("d1", theirs, unchanged) is None
    assert await ours.change("d1", fence, unchanged) is not None
    assert await ours.renew("d1", "me", fence.epoch, MINUTE) == clock() + MINUTE
    clock.pass_by(MINUTE)
    assert await ours.change("d1", fence, unchanged) is None  # nothing is sent any more
    assert (await other.read("d1")).document.state is DocumentState.PUBLISHING
    await ours.aclose()
    await other.aclose()
