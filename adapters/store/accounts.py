"""What is known of ad accounts: read, put, and replaced where nobody else was quicker."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, Text, bindparam, select, text

from reconciler.model import Account

from .rows import account_of, account_values
from .statement import Statement, Values
from .tables import table


class Overtaken(Exception):
    """Another transaction changed what this one had read: to be run again, never told."""


_account = table("account")
_rest = [column for column in _account.columns if not column.primary_key]

_FIND: Final = Statement(select(_account).where(_account.c.id == bindparam("the_id", type_=Text)))
_OPEN: Final = Statement(
    text("INSERT INTO account (id, failures) VALUES (:id, 0) ON CONFLICT (id) DO NOTHING")
)
_REPLACE: Final = Statement(
    _account.update()
    .where(_account.c.id == bindparam("the_id", type_=Text))
    .values({column.name: bindparam(f"to_{column.name}") for column in _rest})
    .where(
        *(
            column.is_not_distinct_from(bindparam(f"seen_{column.name}", type_=column.type))
            for column in _rest
        )
    )
    .returning(_account.c.id)
)


def known(connection: Connection, account_id: str) -> Account:
    """The account; an open one if nothing is known of it."""
    row = _FIND.row(connection, {"the_id": account_id})
    return Account(id=account_id) if row is None else account_of(row)


def put(connection: Connection, account: Account, seen: Account) -> None:
    """Store what a transaction decided about the account that it saw. Raises `Overtaken`."""
    if not replace(connection, account, seen):
        raise Overtaken


def replace(connection: Connection, account: Account, seen: Account) -> bool:
    """Store it where `seen` still stands; False where it does not."""
    _OPEN.run(connection, [{"id": account.id}])
    values = {f"seen_{name}": value for name, value in account_values(seen).items()}
    return _REPLACE.row(connection, _to(account) | values) is not None


def _to(account: Account) -> Values:
    values = {f"to_{name}": value for name, value in account_values(account).items()}
    return values | {"the_id": account.id}
