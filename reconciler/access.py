"""Whether an account may be called at all, shared by every worker through the ledger.

A throttled account is left alone until its time: calling on lengthens the block (facts 2.11). An
account that refused our token opens when the token changes, or when one cheap read, tried by the
backoff, succeeds: once for the account, not once for every document.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from .copying import replace
from .due import Due
from .errors import LedgerUnavailable
from .limits import Limits
from .model import Account, BlockReason, Reason
from .outside import Outside

ACCOUNTS_AT_ONCE: Final = 500
"""Asked for in one page."""


async def closed_because(
    account: Account, outside: Outside, deadline: float | None = None
) -> Reason | None:
    """None where the account is open; else why nothing may be asked of it now.

    May send one cheap read, and writes what it said. What was not said by `deadline`, in the event
    loop's time, counts as a refusal.
    """
    now = await outside.ledger.now()
    if account.is_open(outside.graph.token_print(account.id), now):
        await _forget(account, outside)
        return None
    if account.reason is BlockReason.THROTTLED:
        return Reason.THROTTLED
    if account.until is not None and now < account.until:
        return Reason.ACCESS
    return await _probe(account, outside, deadline)


async def open_with_new_tokens(outside: Outside) -> None:
    """Open the accounts that refused a token which was replaced since.

    Their documents are told to nobody until then, so that nobody but this would find it out.
    """
    for account in await outside.ledger.closed_accounts():
        if account.is_open(outside.graph.token_print(account.id), await outside.ledger.now()):
            await _forget(account, outside)


async def _forget(account: Account, outside: Outside) -> None:
    """A block that ended by a new token is struck off, so that nobody is told to renew it again."""
    if account.reason is BlockReason.ACCESS:
        await outside.ledger.set_account(account.opened(), account)


async def _probe(account: Account, outside: Outside, deadline: float | None) -> Reason | None:
    answers = await _answers(account, outside, deadline)
    now = await outside.ledger.now()
    if answers:  # the count stays: what reads may still be refused creates, again and again
        opened = replace(account.opened(), failures=account.failures + 1)
        await outside.ledger.set_account(opened, account)
        return None
    pause = outside.limits.backoff(account.failures, outside.chance.fraction())
    later = replace(account, until=now + pause, failures=account.failures + 1)
    await outside.ledger.set_account(later, account)
    return Reason.ACCESS


async def _answers(account: Account, outside: Outside, deadline: float | None) -> bool:
    try:
        async with asyncio.timeout_at(deadline):
            return await outside.graph.probe(account.id)
    except TimeoutError:
        return False


def throttled(account: Account, now: datetime, wait: timedelta | None, limits: Limits) -> Account:
    """Closed for the headers' figure, else for the longest backoff; never beyond the bound."""
    pause = min(wait or limits.backoff_cap, limits.throttle_max_wait)
    until = now + pause
    if account.reason is BlockReason.THROTTLED and account.until and account.until > until:
        return account
    return replace(account.opened(), reason=BlockReason.THROTTLED, until=until)


def refused(account: Account, now: datetime, token_print: str | None, limits: Limits) -> Account:
    """Closed for this token, until another one or a cheap read opens it.

    An account that answers reads and refuses creates closes for longer each time, up to the cap.
    """
    if account.reason is BlockReason.ACCESS and account.token_print == token_print:
        return account
    return replace(
        account,
        reason=BlockReason.ACCESS,
        until=now + limits.backoff(account.failures, 1.0),
        token_print=token_print,
        failures=account.failures,
    )


async def close_the_whole_app(account: Account, outside: Outside) -> None:
    """Where a limit of the app was met, close every account of its token for as long.

    Each would meet the limit otherwise, and prolong it (facts 2.11). Accounts are those that
    something is due of now; one that comes later may still meet it, once. Nothing rests on it.
    """
    if account.reason is not BlockReason.THROTTLED:
        return
    if not outside.graph.is_app_throttled(account.id):
        return
    with suppress(LedgerUnavailable):  # what led here is durable, and nothing rests on this
        for other in sorted(await _at_work(outside) - {account.id}):
            await _close_too(other, account, outside)


async def _close_too(account_id: str, met: Account, outside: Outside) -> None:
    """One that refused our token stays closed for that; a later end stays."""
    graph, seen = outside.graph, await outside.ledger.account(account_id)
    is_open = seen.is_open(graph.token_print(account_id), await outside.ledger.now())
    if is_open and graph.token_print(account_id) == graph.token_print(met.id):
        closed = replace(seen.opened(), reason=BlockReason.THROTTLED, until=met.until)
        await outside.ledger.set_account(closed, seen)


async def _at_work(outside: Outside) -> set[str]:
    ledger, found, after = outside.ledger, set[str](), ""
    while page := await ledger.turns(limit=ACCOUNTS_AT_ONCE, after=after):
        found |= {each.account_id for each in page}
        after = page[-1].account_id
    looks = await ledger.due(
        Due.LOOK, limit=ACCOUNTS_AT_ONCE, passing_max=outside.limits.passing_max
    )
    return found | {each.account_id for each in looks}


def closed_by(
    account: Account, reason: Reason | None, now: datetime, wait: timedelta | None, outside: Outside
) -> Account:
    """The account after a call or walk that was throttled or refused; itself for other reasons."""
    if reason is Reason.THROTTLED:
        return throttled(account, now, wait, outside.limits)
    if reason is Reason.ACCESS:
        return refused(account, now, outside.graph.token_print(account.id), outside.limits)
    return account
