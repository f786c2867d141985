"""Which plans are not carried out: too old, another ledger's, of other settings, too bold.

A plan that would claim for a large part of all documents of an account is more often a mistake (an
import without the healthy documents, a wrong time) than a disaster, so a person has to say it.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from .batch_settings import settings_of
from .batch_values import AccountPlan, Head
from .errors import PlanRefused
from .outside import Outside

AGE_MAX: Final = timedelta(days=1)

SHARE_MAX: Final = 0.5
FEW: Final = 20
"""Where no share was stated: more claims than these, in more than that part of an account."""


async def refuse_unfit(head: Head, outside: Outside, *, share_max: float | None) -> None:
    """Raises `PlanRefused`. `share_max` is the part of an account's documents that may claim
    something, 0 to 1; None: the usual, which lets a few always pass."""
    now = await outside.ledger.now()
    if head.ledger != await outside.ledger.identity():
        raise PlanRefused("the plan was made for another ledger", next_step=AGAIN)
    if not timedelta(0) <= now - head.at <= AGE_MAX:
        raise PlanRefused(
            f"the plan was made at {head.at.isoformat()}: older than a day", next_step=AGAIN
        )
    if differing := sorted(_differing(head, outside)):
        raise PlanRefused(
            f"the plan was made with other settings: {', '.join(differing)}", next_step=AGAIN
        )
    for name, account in sorted(head.accounts.items()):
        _refuse_bold(name, account, share_max)


AGAIN: Final = "plan again: reconciler batch plan -o PLAN"


def _differing(head: Head, outside: Outside) -> set[str]:
    now = settings_of(outside)
    names = now.keys() | head.settings.keys()
    return {name for name in names if now.get(name) != head.settings.get(name)}


def too_bold(head: Head) -> list[str]:
    """Accounts for whose share the plan is refused where none was stated, by name."""
    return [name for name, one in sorted(head.accounts.items()) if _is_bold(one, None)]


def _is_bold(account: AccountPlan, share_max: float | None) -> bool:
    if share_max is None and account.claims <= FEW:
        return False
    return account.share > _allowed(share_max)


def _allowed(share_max: float | None) -> float:
    return SHARE_MAX if share_max is None else share_max


def _refuse_bold(name: str, account: AccountPlan, share_max: float | None) -> None:
    if _is_bold(account, share_max):
        raise PlanRefused(
            f"{name}: {account.claims:,} of its {account.documents:,} documents would claim "
            f"something, {account.share:.0%}; more than {_allowed(share_max):.0%} is refused",
            next_step="see examples of it with reconciler batch plan --examples 20; if it is right,"
            " reconciler batch apply PLAN --max-share 1",
        )
