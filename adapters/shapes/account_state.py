"""`account/1`: whether an ad account may be created in, and if not, why."""

from __future__ import annotations

from typing import Any, Final

from reconciler.model import Account

from .values import account as shown_account
from .values import shown_time

SCHEMA: Final = "account/1"


def account_state(account: Account) -> dict[str, Any]:
    """`paused` is a person's reason, `block` what the API brought about until then."""
    reason = account.reason
    return {
        "schema": SCHEMA,
        "account_id": shown_account(account.id),
        "paused": account.paused,
        "block": None if reason is None else reason.value,
        "until": shown_time(account.until),
    }
