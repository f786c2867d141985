"""Tries on a real account whether our marks come back: makes one ad label, and nothing that runs.

The label's name ends in a whole mark, so that one label tells of both: that a label is made by its
name, and that a text with a mark in it comes back as it was. It is no mark of any document. What
cannot be tried without an ad is said: that a listing of ads shows the labels it bears.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from reconciler.mark import Mark
from reconciler.model import Outcome

from ..clock import SystemChance
from ..graph.answer import created_id
from ..graph.fault import read_fault
from ..graph.label_requests import ads_by_label_edge, create_label, delete_label
from ..graph.outcome import line_of
from ..graph.paths import Edge, labels_edge
from ..graph.reply import Reply
from ..graph.wire import Page, read_page
from ..settings import Settings
from ..shapes import Check
from .asking import Back, asked, asked_for, content_of, told

PAGES_MAX: Final = 250
"""Of 500 labels: more than an account can have (facts 4.24)."""


_NO_ENTRY: Final = frozenset({"E23", "E24", "E25", "E29"})
"""Token, permission, or no such account: of these, too, the sheet says that nothing was made."""


def trial_name() -> str:
    """Unguessable, so that what is read back is what was made."""
    chance = SystemChance()
    return "reconciler doctor" + Mark(chance.document_part(), chance.item_part()).as_name_suffix()


async def try_echo(settings: Settings, account_id: str, name: str) -> AsyncIterator[Check]:
    """Make, read back twice, delete. Sends one POST, once; an unclear answer ends the trial."""
    made = await asked(settings, lambda to, keys: create_label(to, keys, account_id, name))
    label_id = created_id(made) if isinstance(made, Reply) else None
    yield _made(account_id, name, label_id, made)
    if label_id is None:
        return
    yield await _listed(settings, account_id, name, label_id)
    edge = ads_by_label_edge(account_id, label_id)
    yield _by_label(account_id, await asked_for(settings, edge, {"limit": "1"}))
    gone = await asked(settings, lambda to, keys: delete_label(to, keys, account_id, label_id))
    yield _deleted(account_id, name, gone)


def _made(account_id: str, name: str, label_id: str | None, made: Back) -> Check:
    if label_id is not None:
        detail = f"one ad label was made: {label_id}"
        return Check(name=f"echo made {account_id}", ok=True, detail=detail)
    fix = f"see in Ads Manager whether there is an ad label {name!r}, and delete it"
    if _is_refused(made):
        fix = "see that this account exists, and that its token may manage its ads"
    return Check(name=f"echo made {account_id}", ok=False, detail=told(made), fix=fix)


def _is_refused(made: Back) -> bool:
    """Whether it is certain that there is no label to delete."""
    if isinstance(made, Reply):
        line = line_of(read_fault(made))
        return line.outcome is Outcome.REJECTED or line.number in _NO_ENTRY
    return made is None


async def _listed(settings: Settings, account_id: str, name: str, label_id: str) -> Check:
    """By the path that a verdict rests on: every page, to the end."""
    check, edge = f"echo listed {account_id}", labels_edge(account_id, "id,name")
    back = await _row_of(settings, edge, label_id)
    if isinstance(back, str):
        return Check(name=check, ok=False, known=False, detail=back, fix=_AGAIN)
    found, read = back
    if not found:
        return Check(name=check, ok=False, detail="the account's labels do not show it", fix=_LAG)
    if read != name:
        detail = f"it came back as {read!r}, made as {name!r}: a mark does not survive"
        return Check(name=check, ok=False, detail=detail, fix="set RECONCILER_ECHO=none")
    return Check(name=check, ok=True, detail="the mark in its name came back as it was")


async def _row_of(settings: Settings, edge: Edge, label_id: str) -> tuple[bool, str | None] | str:
    """Whether it is listed, and its name; or why that could not be found out."""
    after: str | None = None
    for _ in range(PAGES_MAX):
        page = {"limit": "500"} | ({"after": after} if after else {})
        back = await asked_for(settings, edge, page)
        read = read_page(back.body) if isinstance(back, Reply) and back.status == 200 else None
        if not isinstance(read, Page):
            return told(back)
        for row in read.rows:
            if row.id == label_id:
                return True, row.name
        if read.after is None:
            return False, None
        after = read.after
    return "the account's labels have no end"


def _by_label(account_id: str, back: Back) -> Check:
    """Nothing bears it, so an empty list is the right answer."""
    rows = content_of(back).get("data")
    is_empty = rows == []
    detail = "the by-label edge answers" if is_empty else f"the by-label edge: {told(back)}"
    if rows:
        detail = "the by-label edge shows ads that do not bear the label"
    fix = None if is_empty else "nothing of the promise rests on this edge"
    return Check(name=f"echo by label {account_id}", ok=is_empty, detail=detail, fix=fix)


def _deleted(account_id: str, name: str, gone: Back) -> Check:
    ok = content_of(gone).get("success") is True
    detail = "the label is deleted" if ok else f"the label is left: {told(gone)}"
    fix = None if ok else f"delete the ad label {name!r} in Ads Manager"
    return Check(name=f"echo deleted {account_id}", ok=ok, detail=detail, fix=fix)


_AGAIN: Final = "run it again in a minute"
_LAG: Final = "it may be listed later: raise RECONCILER_LISTING_LAG_SECONDS if this happens again"
