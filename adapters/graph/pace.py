"""How fast an account may be asked: slower as its allowance fills, not at all while it is blocked.

The API throttles at a full allowance, and calling on lengthens the block (facts 3.1, 2.11). So each
reply's usage headers are remembered by account: from 75 % on a short pause comes before every
request, after a batch one for each create that was in it (facts 3.11). Once a block is announced or
a throttle was met, no request of this process leaves until it is over. The ledger tells the other
processes; its bound on a wait holds here too.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import httpx

from .throttle import FULL, usage_of, wait_asked

RAMP_FROM: Final = 75.0
"""Percent of the allowance at which the pauses begin; they grow evenly to `PAUSE_MAX` at 100 %."""

PAUSE_MAX: Final = timedelta(seconds=5)
PAUSE_SHARE: Final = 0.25
"""Of the deadline of the request: no pause takes more of it, however short that was set."""

OWED_SHARE: Final = 0.5
"""The same with what a batch owes: with the request behind it the pause stays well within twice the
deadline, and without a step for so long a lease is given up."""

REMEMBERED: Final = timedelta(minutes=5)
"""The allowances are those of a rolling hour: an older figure tells nothing."""

UNTOLD_BLOCK: Final = timedelta(seconds=30)
"""For a throttle that names no time: until the ledger knows and asks nobody of this account."""

TOLD_EVERY: Final = timedelta(minutes=1)
ACCOUNTS_MAX: Final = 10_000

LOG: Final = logging.getLogger("reconciler.graph")


@dataclass(frozen=True, slots=True)
class Block:
    """The account is to be left alone. `wait` is what is left of it, None where none was named."""

    wait: timedelta | None

    @property
    def why(self) -> str:
        """For a person."""
        return "not sent: the API's last reply asked to leave this account alone"


@dataclass(slots=True)
class _Known:
    """What the replies of one account told. Moments are seconds of the loop's clock."""

    percent: float = 0.0
    percent_until: float = 0.0
    owed_until: float = 0.0
    blocked_until: float = 0.0
    is_told: bool = False
    next_line_at: float = 0.0


AppOf = Callable[[str], str | None]
"""From an account to its token's print: a token is one app's. None: it has no token."""


class Pace:
    """One per client. Accounts are named as `account_path` names them.

    `block_max` is the longest that a header may keep this process from asking. `app_of` tells
    which accounts a limit of the whole app closes; by default each is alone.
    """

    def __init__(self, block_max: timedelta, app_of: AppOf = lambda _: None) -> None:
        self._block_max = block_max
        self._app_of = app_of
        self._accounts: OrderedDict[str, _Known] = OrderedDict()
        self._apps: dict[str, _Known] = {}

    def note(
        self,
        account: str,
        headers: httpx.Headers,
        *,
        is_throttle: bool = False,
        is_app_wide: bool = False,
    ) -> timedelta | None:
        """Remember what a reply told; returns how long it blocks the account, if it says so.

        `is_app_wide`: what throttled was a limit of the app, so all its accounts are blocked.
        """
        usage = usage_of(headers)
        block = wait_asked(headers) if is_throttle else usage.block
        if usage.percent is None and block is None and not is_throttle:
            return None
        known = self._known(account)
        if usage.percent is not None:
            known.percent = usage.percent
            known.percent_until = _now() + REMEMBERED.total_seconds()
        if is_throttle or block is not None:
            self._close(known, block)
        if is_app_wide and (app := self._app_of(account)) is not None:
            self._close(self._apps.setdefault(app, _Known()), block)
        return block

    def block(self, account: str) -> Block | None:
        """None where the account may be asked. Of two blocks the later end counts."""
        known = (self._accounts.get(account), self._known_app(account))
        last = max(filter(None, known), key=lambda each: each.blocked_until, default=None)
        left = last.blocked_until - _now() if last is not None else 0.0
        if last is None or left <= 0:
            return None
        return Block(timedelta(seconds=left) if last.is_told else None)

    def is_app_wide(self, account: str) -> bool:
        """Whether the whole app of the account is blocked now."""
        app = self._known_app(account)
        return app is not None and app.blocked_until > _now()

    def _known_app(self, account: str) -> _Known | None:
        """Apps are few, and nearly always none was ever blocked."""
        return self._apps.get(self._app_of(account) or "") if self._apps else None

    def pause(self, account: str, within: timedelta) -> timedelta:
        """How long to wait before the next request, whose deadline is `within`.

        After a batch also what it owes, as far as half of `within` goes.
        """
        known = self._accounts.get(account)
        one = self._pause_of_one(account, within)
        if known is None or one <= timedelta(0):
            return timedelta(0)
        self._tell(account, known, one)
        owed = timedelta(seconds=max(0.0, known.owed_until - _now()))
        return max(one, min(one + owed, within * OWED_SHARE))

    def owe(self, account: str, calls: int, within: timedelta) -> None:
        """So many calls go out beside the one that was waited for, in the same request.

        Each child of a batch counts (facts 3.11), so each owes the pause it would have made alone.
        Batches side by side owe side by side, as creates that are sent alone wait side by side.
        """
        owed = self._pause_of_one(account, within) * calls
        if owed > timedelta(0):
            known = self._known(account)
            known.owed_until = max(known.owed_until, _now() + owed.total_seconds())

    def _pause_of_one(self, account: str, within: timedelta) -> timedelta:
        known = self._accounts.get(account)
        if known is None or _now() >= known.percent_until or self.block(account) is not None:
            return timedelta(0)
        share = max(0.0, (known.percent - RAMP_FROM) / (FULL - RAMP_FROM))
        return min(PAUSE_MAX, within * PAUSE_SHARE) * share

    def _close(self, known: _Known, block: timedelta | None) -> None:
        """Two that differ: the later end counts."""
        until = _now() + min(block or UNTOLD_BLOCK, self._block_max).total_seconds()
        if until > known.blocked_until:
            known.blocked_until, known.is_told = until, block is not None

    def _known(self, account: str) -> _Known:
        known = self._accounts.setdefault(account, _Known())
        self._accounts.move_to_end(account)
        if len(self._accounts) > ACCOUNTS_MAX:
            self._accounts.popitem(last=False)
        return known

    def _tell(self, account: str, known: _Known, pause: timedelta) -> None:
        """One line a minute: a person should see why it goes slowly."""
        if _now() < known.next_line_at:
            return
        known.next_line_at = _now() + TOLD_EVERY.total_seconds()
        seconds = pause.total_seconds()
        LOG.warning(
            "%s has used %.0f %% of its allowance: %.1f s between requests",
            account,
            known.percent,
            seconds,
        )


def _now() -> float:
    return asyncio.get_running_loop().time()
