"""`pause` and `resume` as people type them, and what they do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .words import AsJson, account_id

if TYPE_CHECKING:
    from .session import Work

AccountId = Annotated[
    str, typer.Argument(metavar="ACCOUNT", callback=account_id, help="With or without act_.")
]


def pause(
    account: AccountId,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; told with what waits.")],
    as_json: AsJson = False,
) -> int:
    """Create nothing more in an account, until `resume`. Looking goes on.

    A create that is in flight ends and is saved. What waits stays queued.
    """
    from .session import carry_out

    return carry_out(_paused(account, reason), as_json=as_json)


def resume(account: AccountId, as_json: AsJson = False) -> int:
    """End a pause: what waited is published as before."""
    from .session import carry_out

    return carry_out(_paused(account, None), as_json=as_json)


def _paused(account: str, why: str | None) -> Work:
    from rich.text import Text

    from ..bootstrap import REDACTION, Reconciler
    from ..shapes import account_state
    from .exit_codes import ExitCode
    from .output import visible
    from .running import Stop
    from .session import Told

    async def work(product: Reconciler, _: Stop) -> Told:
        if why is None:
            shape = account_state(await product.resume(account))
        else:
            shape = account_state(await product.pause(account, REDACTION(why)))
        line = f"{account} is paused: {shape['paused']}" if why else f"{account} is not paused"
        return Told(shape=shape, picture=lambda: Text(visible(line)), code=ExitCode.DONE)

    return work
