"""What the list is asked for: its filters, read from the address and written back into links."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

from fastapi import Request

from reconciler.model import DocumentState, Kind

from ...store.finding import Which
from ...store.judged import Judged
from ...store.listed_state import ListedState
from ...store.pages import Place
from ..refusals import Refused
from ..routes_list import place_of, token_of
from ..said_once import refuse_odd_query

LIST: Final = "/documents"
KNOWN: Final = ("state", "which", "account_id", "since", "kind", "verdict", "by_cause", "after")

_ACCOUNT: Final = re.compile(r"(?:act_)?([1-9][0-9]{0,31})")
_AFTER: Final = re.compile(r"[0-9]{1,16}:.{1,200}")

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`account_id` with its `act_`; `since` a day in UTC. None: any."""

    state: DocumentState | None = None
    which: Which | None = None
    account_id: str | None = None
    since: date | None = None
    kind: Kind | None = None
    verdict: Judged | None = None
    by_cause: bool = False
    after: Place | None = None

    @property
    def since_at(self) -> datetime | None:
        """The beginning of that day."""
        return None if self.since is None else datetime.combine(self.since, time(), UTC)

    def link(self, **changes: Any) -> str:
        """The address of the list with these changes, on its first page unless `after` is given."""
        asked = replace(self, **({"after": None} | changes))
        given = asked.given()
        return f"{LIST}?{urlencode(given)}" if given else LIST

    def given(self) -> dict[str, str]:
        """What stands in the address."""
        told = {
            "state": self.state,
            "which": self.which,
            "account_id": self.account_id,
            "since": self.since and self.since.isoformat(),
            "kind": self.kind,
            "verdict": self.verdict,
            "by_cause": "1" if self.by_cause else None,
            "after": self.after and token_of(self.after),
        }
        return {name: str(value) for name, value in told.items() if value}


def question_of(request: Request) -> Question:
    """Raises `Refused` for what cannot be meant. A field that was left empty asks for nothing."""
    refuse_odd_query(request, KNOWN)
    given = {name: text for name, text in request.query_params.items() if text}
    state = _read(given, "state", ListedState)
    which = _read(given, "which", Which)
    if state is ListedState.CRASHED:  # not stored, so asked for by its condition
        which = _only_crashed(which)
    return Question(
        state=state.stored if state else None,
        which=which,
        account_id=_read(given, "account_id", _account),
        since=_read(given, "since", date.fromisoformat),
        kind=_read(given, "kind", Kind),
        verdict=_read(given, "verdict", Judged),
        by_cause=given.get("by_cause") == "1",
        after=_read(given, "after", _after),
    )


def _read(given: Mapping[str, str], name: str, reader: Callable[[str], T]) -> T | None:
    try:
        return reader(given[name]) if name in given else None
    except (ValueError, OverflowError) as error:
        raise _unreadable(name) from error


def _only_crashed(which: Which | None) -> Which:
    """What crashed is itself found by its condition, and there is room for one."""
    if which not in (None, Which.CRASHED):
        raise Refused(
            "invalid_request",
            f"state=crashed and which={which} do not go together",
            next_step=f"leave one of them out: {LIST}?which={which} or {LIST}?state=crashed",
        )
    return Which.CRASHED


def _unreadable(name: str) -> Refused:
    return Refused(
        "invalid_request",
        f"{name}: cannot be read",
        next_step=f"go back, and choose another {name}",
    )


def _account(text: str) -> str:
    found = _ACCOUNT.fullmatch(text.strip())
    if found is None:
        raise ValueError(text)
    return f"act_{found[1]}"


def _after(text: str) -> Place:
    if not _AFTER.fullmatch(text):
        raise ValueError(text)
    return place_of(text)
