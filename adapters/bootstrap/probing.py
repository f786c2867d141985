"""Two cheap reads of an account, told more fully than the port does: for the doctor only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from reconciler.call_outcome import Again

from ..graph.fault import read_fault
from ..graph.outcome import line_of
from ..graph.paging import read_date
from ..graph.paths import Endpoint, Unsendable, labels_edge
from ..graph.reply import NoReply, Reply
from ..graph.requests import Requests
from ..graph.sending import Sender
from ..graph.tokens import Keyring
from ..graph.transport import Lanes
from ..settings import Settings
from .secrets import REDACTION

BODY_MAX = 2**20
"""Bytes; one label has fewer than two hundred."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """What the API said. `clock_difference` is its clock minus ours, None where it told no time.

    `again` is when to ask anew, as for any call; None where no reply came, or nothing was asked.
    """

    answers: bool
    detail: str
    again: Again | None = None
    clock_difference: timedelta | None = None


async def probe(settings: Settings, account_id: str) -> Probed:
    """Ask for one ad label. Never raises; the detail holds no secret."""
    before = datetime.now(UTC)
    try:
        back = await _labels(settings, account_id, {"limit": "1"})
    except Unsendable as error:
        return Probed(answers=False, detail=str(error))
    if back is None:
        return Probed(answers=False, detail="no token for this account")
    return _told(back, before, datetime.now(UTC))


async def label_count(settings: Settings, account_id: str) -> int | None:
    """How many ad labels the account has; None where the API does not say (facts 1.16)."""
    counted = {"limit": "1", "summary": "total_count"}
    try:
        back = await _labels(settings, account_id, counted)
    except Unsendable:
        return None
    content = back.json() if isinstance(back, Reply) and back.status == 200 else None
    summary = content.get("summary") if isinstance(content, dict) else None
    count = summary.get("total_count") if isinstance(summary, dict) else None
    return count if isinstance(count, int) and not isinstance(count, bool) else None


async def _labels(
    settings: Settings, account_id: str, page: Mapping[str, str]
) -> Reply | NoReply | None:
    """None: there is no token. Raises `Unsendable` for an id that is no account's."""
    keyring = Keyring(settings.token_for, settings.app_secret, REDACTION)
    requests = Requests(Endpoint(settings.graph_url, settings.graph_version), keyring)
    outgoing = requests.page(labels_edge(account_id, "id"), page)
    if outgoing is None:
        return None
    lanes = Lanes(1, settings.graph_url)
    try:
        within = timedelta(seconds=settings.call_timeout_seconds)
        return await Sender(lanes).send(outgoing, within, BODY_MAX)
    finally:
        await lanes.aclose()


def _told(back: Reply | NoReply, before: datetime, after: datetime) -> Probed:
    if isinstance(back, NoReply):
        return Probed(answers=False, detail=REDACTION(back.message))
    date = read_date(back.headers)
    # The header has whole seconds: on average half of one was cut off.
    half = timedelta(seconds=0.5)
    difference = date + half - (before + (after - before) / 2) if date else None
    detail = f"HTTP {back.status}{_message(back)}"
    return Probed(
        answers=back.status == 200,
        detail=detail,
        again=line_of(read_fault(back)).again,
        clock_difference=difference,
    )


def _message(reply: Reply) -> str:
    content = reply.json()
    error = content.get("error") if isinstance(content, dict) else None
    if not isinstance(error, dict):
        return ""
    return f", code {error.get('code')}: {REDACTION(str(error.get('message')))[:200]}"
