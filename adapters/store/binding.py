"""The unique binding: an external id stands for one intent, creatives apart (facts 4.9).

Around the writing of intents: ids are given up before others are taken, so that the unique index
never meets a passing double; then an id that another intent holds is refused by name. The index
`uq_intent_binding` has the last word, where the database lets two transactions run at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from sqlalchemy import Connection, Text, bindparam, select, text, update

from reconciler.errors import BindingTaken
from reconciler.model import Document, Item, Kind

from .one_of import OneOf
from .statement import Statement
from .tables import table

_intent = table("intent")
_GIVE_UP: Final = Statement(
    update(_intent)
    .where(
        _intent.c.document_id == bindparam("its_document", type_=Text),
        _intent.c.key == bindparam("its_key", type_=Text),
    )
    .values(external_id=None, found_by=None)
)
_HELD: Final = OneOf(
    select(_intent.c.external_id).where(
        _intent.c.account_id == bindparam("the_account", type_=Text),
        _intent.c.external_id.is_not(None),
        text("intent.kind <> 'adcreative'"),  # literally, so that the unique index is used
    ),
    _intent.c.external_id,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedItems:
    """The items of a document that a change is about, as they stood and as they become."""

    document: Document
    before: Sequence[Item]
    after: Sequence[Item]


class Bindings:
    """What changes of one account give up and take. Raises `BindingTaken`: then everything is
    rolled back.

    Inside the block the intents of `given_up`, by document and key, stand without id and grade.
    """

    def __init__(self, connection: Connection, changes: Sequence[ChangedItems]) -> None:
        self._connection = connection
        self._accounts = {each.document.account_id for each in changes}
        had = {
            (each.document.id, item.key): _unique_id(item)
            for each in changes
            for item in each.before
        }
        has = {
            (each.document.id, item.key): _unique_id(item)
            for each in changes
            for item in each.after
        }
        self.given_up = [place for place, held in had.items() if held and has.get(place) != held]
        self._taken = [held for place, held in has.items() if held and had.get(place) != held]

    def __enter__(self) -> Self:
        given_up = [{"its_document": which, "its_key": key} for which, key in self.given_up]
        _GIVE_UP.run(self._connection, given_up)
        if self._taken:
            self._refuse()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None and self._taken and self._names_the_index(error):
            raise BindingTaken(self._named_in(str(error))) from error

    def _refuse(self) -> None:
        [account_id] = self._accounts
        account = {"the_account": account_id}
        held = {row.external_id for row in _HELD.rows(self._connection, self._taken, account)}
        for external_id in self._taken:
            if external_id in held:
                raise BindingTaken(external_id)
            held.add(external_id)

    def _named_in(self, said: str) -> str:
        """PostgreSQL tells the values that clashed, SQLite does not."""
        return next((taken for taken in self._taken if f", {taken})" in said), self._taken[0])

    def _names_the_index(self, error: BaseException) -> bool:
        """SQLite names the columns, PostgreSQL the index."""
        if not isinstance(error, self._connection.dialect.loaded_dbapi.IntegrityError):
            return False
        said = str(error)
        return "intent.account_id, intent.external_id" in said or "uq_intent_binding" in said


def _unique_id(item: Item) -> str | None:
    if item.intent is None or item.intent.kind is Kind.ADCREATIVE:
        return None
    return item.intent.external_id
