"""The keys in the terminal: what tells what a key may do is whole in 80 columns."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import Any

from rich.console import Console

from adapters.cli.service_commands import keys_picture
from adapters.store.keys import KeptKey
from adapters.web.keys_shape import keys_list

NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
SCOPES = "admin publish read resolve"


def drawn(*keys: KeptKey) -> str:
    console = Console(file=io.StringIO(), width=80, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(keys_picture(keys_list(keys, NOW)), crop=False)
    return captured.get()


def kept(**changes: Any) -> KeptKey:
    told: dict[str, Any] = {
        "id": "0123456789",
        "digest": "0" * 64,
        "name": "n" * 60,
        "scopes": SCOPES,
        "accounts": "act_1001 act_1002 act_1003",
        "created_at": NOW,
        "expires_at": NOW.replace(year=2027),
        "revoked_at": NOW,
        "used_at": NOW,
    }
    return KeptKey(**told | changes)


def test_id_state_and_scopes_are_never_cut_in_80_columns() -> None:
    text = drawn(kept())

    assert "0123456789  revoked  may admin, publish, read, resolve" in text
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
    for whole in ("n" * 60, "act_1001", "act_1003", "2027-03-10", "last used"):
        assert whole in text


def test_a_key_of_all_accounts_that_was_never_used_says_so() -> None:
    text = " ".join(drawn(kept(name="ops", accounts=None, revoked_at=None, used_at=None)).split())

    assert "0123456789 valid may" in text
    assert "ops, accounts all, until 2027-03-10 12:00:00 UTC, last used never" in text


def test_no_keys_are_told_with_what_makes_one() -> None:
    assert "reconciler key create" in drawn()
