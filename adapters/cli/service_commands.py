"""The commands about the HTTP service: run it, and keep its keys."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from reconciler.errors import UnknownKey

from ..bootstrap.opening import open_ledger
from ..store.ledger import SqlLedger
from ..web.access import Scope
from ..web.keys import new_key
from ..web.keys_shape import keys_list, shown_key
from ..web.serving import serve as serve_until
from .exit_codes import ExitCode
from .next_picture import clock
from .output import say, visible
from .running import Stop, run
from .session import Told, checked_settings, grace_seconds, print_told

LedgerWork = Callable[[SqlLedger], Awaitable[Told]]


def serve(*, host: str, port: int, as_json: bool) -> int:
    """Serve until a signal; ending on one in order is this command's success."""
    settings = checked_settings()

    async def session(stop: Stop) -> Told:
        address = await serve_until(
            settings,
            host=host,
            port=port,
            stopped=stop.wait,
            tell=_tell_where,
        )
        shape = {"schema": "serve/1", "address": address}
        return Told(shape=shape, picture=lambda: Text("ended, all saved"), code=ExitCode.DONE)

    told = run(session, grace_seconds=2 * grace_seconds(settings.to_limits()))
    print_told(told, as_json=as_json)
    return told.code


def _tell_where(address: str) -> None:
    say(f"listening on {address}")
    say(f"the operator's page: {address}/documents")


def on_the_ledger(work: LedgerWork, *, as_json: bool) -> int:
    """Work that asks nothing of the API, and needs no token."""
    settings = checked_settings()

    async def session(_: Stop) -> Told:
        ledger = open_ledger(settings)
        try:
            return await work(ledger)
        finally:
            await ledger.aclose()

    told = run(session, grace_seconds=0)
    print_told(told, as_json=as_json)
    return told.code


def create_key(
    name: str, *, scopes: Sequence[str], accounts: Collection[str] | None, days: int
) -> LedgerWork:
    """The key goes to stdout by itself, so that it can be put into a file."""

    async def work(ledger: SqlLedger) -> Told:
        now, lasting = await ledger.now(), timedelta(days=days)
        key, kept = new_key(
            name, [Scope(one) for one in scopes], accounts, lasting=lasting, now=now
        )
        await ledger.add_key(kept)
        return Told(
            shape={"schema": "key/1", "key": key, **shown_key(kept, now)},
            picture=lambda: Text(key),
            code=ExitCode.DONE,
            notes=(f"{kept.id} may {', '.join(scopes)}; the key is not shown again",),
        )

    return work


def list_keys() -> LedgerWork:
    """Never a key itself."""

    async def work(ledger: SqlLedger) -> Told:
        shape = keys_list(await ledger.keys(), await ledger.now())
        return Told(shape=shape, picture=lambda: keys_picture(shape), code=ExitCode.DONE)

    return work


def revoke_key(key_id: str) -> LedgerWork:
    """Raises `UnknownKey` where there is none to revoke."""

    async def work(ledger: SqlLedger) -> Told:
        if not await ledger.revoke_key(key_id):
            raise UnknownKey(f"there is no key {key_id} to revoke", next_step="reconciler key list")
        shape = {"schema": "key-revoked/1", "key_id": key_id}
        line = f"revoked {key_id}: a running service knows within five seconds"
        return Told(shape=shape, picture=lambda: Text(visible(line)), code=ExitCode.DONE)

    return work


def keys_picture(shape: Mapping[str, Any]) -> RenderableType:
    """Two lines for each key: what must be whole stands first, and fits into 80 columns."""
    if not shape["keys"]:
        return Text("no keys; reconciler key create NAME makes one")
    parts: list[RenderableType] = []
    for key in shape["keys"]:
        may = ", ".join(key["scopes"])
        state = f"{key['state']:<7}  may {may}"
        parts.append(Text.assemble((key["key_id"], "bold"), f"  {state}"))
        parts.append(Padding(Text(f"{visible(key['name'])}, {_bounds(key)}", "dim"), (0, 0, 0, 12)))
    return Group(*parts)


def _bounds(key: Mapping[str, Any]) -> str:
    accounts = "all" if key["accounts"] is None else ", ".join(key["accounts"])
    used = clock(key["used_at"]) if key["used_at"] else "never"
    return f"accounts {accounts}, until {clock(key['expires_at'])}, last used {used}"
