"""`pause` and `resume` as people type them, and what they do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .words import AsJson, account_id

if TYPE_CHECKING:
    from reconciler.model import Account

    from .session import Told, Work

AccountId = Annotated[
    str, typer.Argument(metavar="ACCOUNT", callback=account_id, help="With or without act_.")
]


def pause(
    account: AccountId,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; told with what waits.")],
    as_json: AsJson = False,
) -> int:
    """Create nothing more in an account, until `resume`. Looking goes on.

    A create that is in flight ends and is saved. What waits stays queued. Where it is paused
    already, it has the new reason from then on, and the one before is told.
    """
    from .session import carry_out

    return carry_out(_paused(account, reason), as_json=as_json)


def resume(account: AccountId, as_json: AsJson = False) -> int:
    """End a pause: what waited is published as before."""
    from .session import carry_out

    return carry_out(_resumed(account), as_json=as_json)


def _paused(account: str, why: str) -> Work:
    from reconciler.pausing import pause_again

    from ..bootstrap import REDACTION, Reconciler
    from .running import Stop

    async def work(product: Reconciler, _: Stop) -> Told:
        now, before = await pause_again(account, REDACTION(why), product.outside)
        notes = () if before.paused in (None, now.paused) else (_replaced(before.paused),)
        return _told(now, f"{account} is paused: {now.paused}", notes)

    return work


def _replaced(reason: str) -> str:
    return f"it was paused already, for another reason, which this one replaces: {reason}"


def _resumed(account: str) -> Work:
    from ..bootstrap import Reconciler
    from .running import Stop

    async def work(product: Reconciler, _: Stop) -> Told:
        return _told(await product.resume(account), f"{account} is not paused", ())

    return work


def _told(account: Account, line: str, notes: tuple[str, ...]) -> Told:
    from rich.text import Text

    from ..shapes import account_state
    from .exit_codes import ExitCode
    from .output import visible
    from .session import Told

    return Told(
        shape=account_state(account),
        picture=lambda: Text(visible(line)),
        code=ExitCode.DONE,
        notes=tuple(map(visible, notes)),
    )
