"""`serve` and `key` as people type them: arguments, options and their words; nothing else."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

import typer

from .words import AsJson, account_ids

key = typer.Typer(
    name="key", help="Keys of the HTTP service.", no_args_is_help=True, rich_markup_mode=None
)


KEY_NAME_LENGTH_MAX: Final = 60
"""It stands in the journal beside everything that is done with the key."""


class KeyScope(StrEnum):
    """What a key may do."""

    READ = "read"
    PUBLISH = "publish"
    RESOLVE = "resolve"
    ADMIN = "admin"


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="0: any free one.")] = 8080,
    as_json: AsJson = False,
) -> int:
    """The HTTP service, until Ctrl-C or SIGTERM. On 127.0.0.1 unless keys exist.

    The first signal ends it in order: creates in flight are saved, the rest is handed back. A
    second one ends it at once, which is safe too.
    """
    from . import service_commands as serving

    return serving.serve(host=host, port=port, as_json=as_json)


@key.command()
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose it is; kept in the journal.")],
    scope: Annotated[
        list[KeyScope] | None,
        typer.Option("--scope", show_default="read", help="What it may do; may be repeated."),
    ] = None,
    account: Annotated[
        list[str] | None,
        typer.Option(metavar="A", help="May see only this account; may be repeated."),
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=3_650, help="How long it lasts.")] = 365,
    as_json: AsJson = False,
) -> int:
    """Make a key and print it. It is shown this once: only a digest of it is kept."""
    from . import service_commands as serving

    name = _key_name(name)
    accounts = account_ids(account) or None
    scopes = [one.value for one in scope or [KeyScope.READ]]
    work = serving.create_key(name, scopes=scopes, accounts=accounts, days=days)
    return serving.on_the_ledger(work, as_json=as_json)


def _key_name(value: str) -> str:
    """Without space around it. Raises `typer.BadParameter`."""
    name = value.strip()
    if not 1 <= len(name) <= KEY_NAME_LENGTH_MAX:
        raise typer.BadParameter(f"a key's name has 1 to {KEY_NAME_LENGTH_MAX} characters")
    return name


@key.command("list")
def list_keys(as_json: AsJson = False) -> int:
    """Every key with what it may do, how long, and when it was last used."""
    from . import service_commands as serving

    return serving.on_the_ledger(serving.list_keys(), as_json=as_json)


@key.command()
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="KEY_ID", help="As `key list` shows it.")],
    as_json: AsJson = False,
) -> int:
    """Recognise a key no more, within five seconds. Cannot be undone."""
    from . import service_commands as serving

    return serving.on_the_ledger(serving.revoke_key(key_id), as_json=as_json)
