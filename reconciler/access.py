"""Whether an account may be called at all, shared by every worker through the ledger.

A throttled account is left alone until its time: calling on lengthens the block (facts 2.11). An
account that refused our token opens when the token changes, or when one cheap read, tried by the
backoff, succeeds: once for the account, not once for every document.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

from .limits import Limits
from .model import Account, BlockReason, Reason
from .outside import Outside


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
        await outside.ledger.set_account(Account(id=account.id), account)


async def _probe(account: Account, outside: Outside, deadline: float | None) -> Reason | None:
    answers = await _answers(account, outside, deadline)
    now = await outside.ledger.now()
    if answers:  # the count stays: what reads may still be refused creates, again and again
        opened = Account(id=account.id, failures=account.failures + 1)
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
    return Account(id=account.id, reason=BlockReason.THROTTLED, until=until)


def refused(account: Account, now: datetime, token_print: str | None, limits: Limits) -> Account:
    """Closed for this token, until another one or a cheap read opens it.

    An account that answers reads and refuses creates closes for longer each time, up to the cap.
    """
    if account.reason is BlockReason.ACCESS and account.token_print == token_print:
        return account
    return Account(
        id=account.id,
        reason=BlockReason.ACCESS,
        until=now + limits.backoff(account.failures, 1.0),
        token_print=token_print,
        failures=account.failures,
    )


def closed_by(
    account: Account, reason: Reason | None, now: datetime, wait: timedelta | None, outside: Outside
) -> Account:
    """The account after a call or walk that was throttled or refused; itself for other reasons."""
    if reason is Reason.THROTTLED:
        return throttled(account, now, wait, outside.limits)
    if reason is Reason.ACCESS:
        return refused(account, now, outside.graph.token_print(account.id), outside.limits)
    return account
