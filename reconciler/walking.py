"""The walks of one look as they come in, and what is judged of them by then.

One walk serves every intent of its container. What the API narrows to our label is a saving for
what is found; an absence rests on whole walks alone, and where a name would decide, the activity
log is asked who made the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from .activity_log import UnreadLog
from .copying import replace
from .funnel import DEFAULT_POLICY, Policy, judge
from .limits import Limits
from .listing import (
    IncompleteListing,
    Keep,
    Listing,
    Place,
    Statuses,
    WalkRequest,
    Wanted,
    wanted_for,
)
from .log_question import question_of
from .model import Document, Intent, Item, Origin
from .outside import Outside
from .ports import Around, Surroundings
from .settling import settle_at, shows_everything
from .verdict import Found, Judgement, Verdict

Step = Callable[[], None]
"""Called whenever the work moved, so that a renewal sees it."""


class Walking:
    """The walks of one look as they come in, and the latest judgement over them."""

    def __init__(
        self,
        document: Document,
        judged: tuple[Item, ...],
        outside: Outside,
        step: Step,
        naming: frozenset[str],
    ) -> None:
        self._document = document
        self._judged = judged
        self._outside = outside
        self._step = step
        self._keep = keeping(wanted_for(document, judged), naming)
        self.complete: list[Listing] = []
        self.incomplete: dict[Place, IncompleteListing] = {}
        self.around = Around()
        self.surroundings = Surroundings()
        self.judgement = Judgement()
        self.policy = DEFAULT_POLICY
        self._log: Mapping[str, str] | None = None
        self._asked_of_log: frozenset[str] = frozenset()

    async def found_all_by_label(self, places: frozenset[Place]) -> bool:
        """A few rows instead of whole containers, where the API narrows them to our label.

        Only if that shows everything: of what it does not show it says nothing, and is forgotten.
        """
        if not await self._walk_narrowed(places):
            self.complete.clear()
            return False
        await self.judge()
        verdicts = [self.judgement.verdicts.get(item.key) for item in self._judged]
        if all(isinstance(verdict, Found) for verdict in verdicts):
            return True
        self.complete.clear()
        return False

    async def _walk_narrowed(self, places: frozenset[Place]) -> bool:
        """Whether every place was. What was sent without a mark bears no label."""
        label, intents = self._document.mark_part, [item.intent for item in self._judged]
        if label is None or any(intent is None or intent.mark is None for intent in intents):
            return False
        graph, now = self._outside.graph, self._outside.ledger.now
        for place in sorted(places, key=_order):
            request = self._request(place, Statuses.OUR_LABEL)
            walk = await graph.walk_ours(request, label, self._keep, now, step=self._step)
            if not isinstance(walk, Listing):
                return False
            self.complete.append(walk)
        return bool(places)

    async def walk(self, places: frozenset[Place], statuses: Statuses) -> None:
        """One after the other: walks at once would only share the account's budget."""
        for place in sorted(places, key=_order):
            await self._walk_one(self._request(place, statuses))

    def _request(self, place: Place, statuses: Statuses) -> WalkRequest:
        container, kind = place
        return WalkRequest(
            account_id=self._document.account_id, container=container, kind=kind, statuses=statuses
        )

    async def _walk_one(self, request: WalkRequest) -> None:
        graph, ledger = self._outside.graph, self._outside.ledger
        walk = await graph.walk(request, self._keep, ledger.now, step=self._step)
        self._step()
        if isinstance(walk, Listing):
            self.complete.append(walk)
        else:
            self.incomplete[request.place] = walk

    def places_where_absence_could_be_said(self) -> frozenset[Place]:
        """Places to be walked again."""
        verdicts, limits = self.judgement.verdicts, self._outside.limits
        return absence_could_be_said(self._document, self._judged, self.complete, verdicts, limits)

    async def judge(self, label_exists: bool | None = None) -> None:
        """Judge what is there by now, against bindings and rivals read afresh."""
        self.around = around_of(self._document, self._judged, self.complete)
        self.surroundings = await self._outside.ledger.around(self._document.id, self.around)
        self.policy = await self._policy()
        self.judgement = judge(
            self._document,
            self._judged,
            self.complete,
            self.surroundings,
            now=await self._outside.ledger.now(),
            limits=self._outside.limits,
            policy=self.policy,
            incomplete=self.incomplete,
            label_exists=label_exists,
        )

    async def _policy(self) -> Policy:
        """What is imported is judged by the policy; a document of ours by what it was sent with."""
        legacy, document = self._outside.legacy, self._document
        if document.origin is Origin.OURS:
            return replace(DEFAULT_POLICY, app_id=legacy.app_id, provenance=self._log)
        is_complete = await self._outside.ledger.is_complete(document.account_id)
        return replace(legacy.policy(is_complete=is_complete), provenance=self._log)

    async def judge_with_log(self) -> None:
        """Judge; where a verdict would rest on a name, ask the activity log who made the rows.

        Before it is said what else has to be walked: without the log a stranger's row may look
        like ours, and with it like nobody's.
        """
        await self.judge()
        if self._outside.legacy.app_id is not None and await self._read_log():
            await self.judge()

    async def _read_log(self) -> bool:
        """False where no name decides, where it was asked about all rows, and where it is unread.

        What it told before stands: a second question may reach less far than the first.
        """
        verdicts, timings = self.judgement.verdicts, self._outside.limits.timings()
        asked = question_of(self._document, self._judged, verdicts, self.complete, timings)
        if asked is None or asked.ids <= self._asked_of_log:
            return False
        graph, account_id = self._outside.graph, self._document.account_id
        self._asked_of_log = asked.ids
        read = await graph.logged_creations(account_id, asked.since, asked.until)
        self._step()
        if isinstance(read, UnreadLog):
            return False
        self._log = {**(self._log or {}), **asked.told(read.creations)}
        return True


def absence_could_be_said(
    document: Document,
    judged: Iterable[Item],
    listings: Iterable[Listing],
    verdicts: Mapping[str, Verdict],
    limits: Limits,
) -> frozenset[Place]:
    """Places of items not found, whose first walk is complete and shows what they made."""
    first = {walk.request.place: walk for walk in listings}

    def is_settled(intent: Intent) -> bool:
        walk, at = first.get(place_of(intent)), settle_at(intent, attempts, timings)
        return walk is not None and shows_everything(walk, at)

    attempts, timings = document.attempts, limits.timings()
    return frozenset(
        place_of(item.intent)
        for item in judged
        if item.intent is not None
        and not isinstance(verdicts.get(item.key), Found)
        and is_settled(item.intent)
    )


def place_of(intent: Intent) -> Place:
    """Where an intent's entity would be listed."""
    return intent.container, intent.kind


def places_of(judged: tuple[Item, ...]) -> frozenset[Place]:
    """Each once, however many of the items would be listed there."""
    return frozenset(place_of(item.intent) for item in judged if item.intent is not None)


def _order(place: Place) -> tuple[str, str, str]:
    container, kind = place
    return container.kind, container.id, kind


def keeping(wanted: Wanted, naming: frozenset[str]) -> Keep:
    """What a walk keeps: what is wanted, and what is asked about by its id."""
    if not naming:
        return wanted.keeps
    return lambda row: row.id in naming or wanted.keeps(row)


def around_of(document: Document, judged: tuple[Item, ...], listings: Iterable[Listing]) -> Around:
    """This document's names, the ids of the narrowed rows and those of its own intents."""
    intents = [item.intent for item in document.items if item.intent is not None]
    names = [item.intent for item in judged if item.intent is not None]
    rows = {row.id for listing in listings for row in listing.rows}
    return Around(
        names=frozenset((i.kind, i.container.id, i.name) for i in names),
        external_ids=frozenset(rows | {i.external_id for i in intents if i.external_id}),
    )
