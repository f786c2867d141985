"""What stands around a document in its account: bindings of given ids, and rivals for its names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Final

from sqlalchemy import Connection, Text, and_, bindparam, func, or_, select

from reconciler.model import Grade, ItemState, Kind
from reconciler.ports import Around, Binding, Rival, Surroundings

from . import reading
from .columns import word_of
from .one_of import OneOf
from .statement import Statement
from .tables import table

_document, _item, _intent = map(table, ("document", "item", "intent"))
_ACCOUNT: Final = bindparam("the_account", type_=Text)
NOBODY: Final = ""
"""The id of no document."""

_NO_PROOF: Final = [grade for grade in Grade if not grade.is_proof]

_BINDINGS: Final = OneOf(
    select(
        _intent.c.account_id,
        _intent.c.external_id,
        _intent.c.document_id,
        _intent.c.key,
        _intent.c.found_by,
    ).where(_intent.c.external_id.is_not(None)),
    _intent.c.external_id,
)
"""Of any account: asked for one, SQLite goes through all intents of it instead of to these ids."""

_RIVALS: Final = OneOf(
    select(_intent.c.document_id, _intent.c.key)
    .join(_document, _document.c.id == _intent.c.document_id)
    .join(
        _item,
        and_(_item.c.document_id == _intent.c.document_id, _item.c.key == _intent.c.key),
    )
    .where(
        _intent.c.account_id == _ACCOUNT,
        _intent.c.kind == bindparam("the_kind", type_=word_of(Kind, "kind")),
        _intent.c.container_id == bindparam("the_container", type_=Text),
        _intent.c.document_id != bindparam("the_id", type_=Text),
        _document.c.began_at.is_not(None),
        or_(
            *(_item.c.state == state for state in (ItemState.PENDING, ItemState.HELD)),
            and_(
                _item.c.state == ItemState.CONFIRMED,
                or_(*(_intent.c.found_by == grade for grade in _NO_PROOF)),
            ),
        ),
    ),
    _intent.c.name,
)


_SHARE: Final = Statement(
    select(func.pg_advisory_xact_lock_shared(func.hashtextextended(_ACCOUNT, 0)).label("shared"))
)


def write_beside(connection: Connection, account_id: str) -> None:
    """Wait for whoever reads surroundings in this account, and have others wait until our end.

    For a new document, which has no row by which it could have been locked before. Nothing where
    the database has one writer at a time.
    """
    if connection.dialect.name == "postgresql":
        _SHARE.rows(connection, {"the_account": account_id})


def surroundings(
    connection: Connection, document_id: str, account_id: str, around: Around
) -> Surroundings:
    """Bindings and rivals as one value; both in the order of document id and item key."""
    return Surroundings(
        bindings=dict(bindings_of(connection, account_id, around.external_ids)),
        rivals=tuple(_rivals(connection, document_id, account_id, around)),
    )


def surroundings_of_all(connection: Connection, account_id: str, around: Around) -> Surroundings:
    """The same for a whole account, no document left out."""
    return surroundings(connection, NOBODY, account_id, around)


def bindings_of(
    connection: Connection, account_id: str, external_ids: Collection[str]
) -> Iterator[tuple[str, Binding]]:
    """What these ids are bound to in the account, by id; nothing for those that are free."""
    found = _BINDINGS.rows(connection, external_ids, {})
    rows = [row for row in found if row.account_id == account_id]
    # Two creatives may share an id: the first of them stands for both, so it comes last here.
    for row in sorted(rows, key=lambda row: (row.document_id, row.key), reverse=True):
        binding = Binding(
            external_id=row.external_id,
            document_id=row.document_id,
            item=row.key,
            grade=row.found_by,
        )
        yield row.external_id, binding


def _rivals(
    connection: Connection, document_id: str, account_id: str, around: Around
) -> Iterator[Rival]:
    """Read table by table: a name that many documents want has a rival in each of them."""
    places = sorted(set(_places(connection, document_id, account_id, around)))
    intents, attempts = reading.sent_by(connection, dict.fromkeys(one for one, _ in places))
    for rival_id, key in places:
        yield Rival(
            document_id=rival_id,
            item=key,
            intent=intents[rival_id, key],
            attempts=attempts[rival_id],
        )


def _places(
    connection: Connection, document_id: str, account_id: str, around: Around
) -> Iterator[tuple[str, str]]:
    by_parent: dict[tuple[Kind, str], list[str]] = defaultdict(list)
    for kind, parent, name in around.names:
        by_parent[kind, parent].append(name)
    for (kind, parent), names in by_parent.items():
        asked = {
            "the_id": document_id,
            "the_account": account_id,
            "the_kind": kind,
            "the_container": parent,
        }
        for row in _RIVALS.rows(connection, names, asked):
            yield row.document_id, row.key
