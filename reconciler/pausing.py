"""A person has nothing created in an account, until they say otherwise.

Seen where a cancel is: at every commit of an attempt, and by the claim. Looking goes on, for it
creates nothing. What waits is queued and goes on by itself once the pause is ended.
"""

from __future__ import annotations

from typing import Final

from .copying import replace
from .errors import LedgerUnavailable, WrongState
from .model import Account
from .names import storable
from .outside import Outside
from .said_why import why_unsaid

WHY_LENGTH_MAX: Final = 200
"""Characters; it is told with every document that waits for it."""

_SAY_WHY: Final = "say in a few words why: others will read it"

TRIES_MAX: Final = 10
"""Another may write the account at the same moment, hardly ten times over."""


async def pause(account_id: str, why: str, outside: Outside) -> Account:
    """Nothing more is created in it. Durable on return. Raises `WrongState` without a reason."""
    paused, _ = await pause_again(account_id, why, outside)
    return paused


async def pause_again(account_id: str, why: str, outside: Outside) -> tuple[Account, Account]:
    """The same, and the account as it was: a pause that stood has the new reason from now on."""
    reason = storable(why.strip())
    if unsaid := why_unsaid(why, of="a pause"):
        raise WrongState(unsaid, next_step=_SAY_WHY)
    if len(reason) > WHY_LENGTH_MAX or not reason.isprintable():
        raise WrongState(
            f"a pause needs a reason of one line, of at most {WHY_LENGTH_MAX} characters",
            next_step=_SAY_WHY,
        )
    return await _set(account_id, reason, outside)


async def resume(account_id: str, outside: Outside) -> Account:
    """A person's pause is over; a block by the API stays. Durable on return."""
    resumed, _ = await _set(account_id, None, outside)
    return resumed


async def _set(account_id: str, paused: str | None, outside: Outside) -> tuple[Account, Account]:
    """As it is now, and as it was just before."""
    for _ in range(TRIES_MAX):
        seen = await outside.ledger.account(account_id)
        wanted = replace(seen, paused=paused)
        if wanted == seen or await outside.ledger.set_account(wanted, seen):
            return wanted, seen
    raise LedgerUnavailable(f"the account {account_id} is written all the time; try again")
