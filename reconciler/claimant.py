"""Who may claim a row: an intent of the judged document, or a rival's, and what it was sent with.

What a row must bear is what *that intent* was sent with, never today's setting.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from .candidate import Readings
from .copying import quick
from .listing import Place
from .model import Attempt, Document, Intent, Item, ItemState, Kind, Timings
from .policy import Policy, is_in_log
from .ports import Binding, Rival
from .settling import Window, settle_at, window


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Claimant:
    """An intent with all that its sieves need.

    `part` is the document part of the marks that count as ours, None where nothing does. The next
    five are shared by its document and hold its own too: which item each item part is of, the
    items' names by key, the names of its kind and parent that lack their entity, those of them that
    were sent with a mark in the label only, and every id known with the items it belongs to. `log`
    is what the activity log tells, None where it says nothing here; `log_must_tell`: what it does
    not tell of is doubted.
    """

    document_id: str
    account_id: str
    item: str
    intent: Intent
    part: str | None
    windows: Window
    settle_at: datetime | None
    bindings: Mapping[str, Binding]
    echo_proven: bool
    item_of_part: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    lacking_names: frozenset[str] = frozenset()
    lacking_plain_names: frozenset[str] = frozenset()
    known_here: Mapping[str, frozenset[str]] = field(default_factory=dict)
    log: Mapping[str, str] | None = None
    log_must_tell: bool = False
    app_id: str | None = None

    @property
    def whole_mark(self) -> tuple[str, str] | None:
        """The mark as its name carries it, None where it was not sent in the name."""
        mark = self.intent.mark
        return (mark.document_part, mark.item_part) if mark and self.intent.mark_in_name else None

    @property
    def is_creative(self) -> bool:
        """Creatives have no creation time, and two creates may be answered with one (facts 4.9)."""
        return self.intent.kind is Kind.ADCREATIVE

    @property
    def place(self) -> Place:
        """Where its entity would be listed."""
        return self.intent.container, self.intent.kind


class Echo:
    """Whether the API shows our marks: some row of the same kind, in these walks, bears one."""

    def __init__(self, places: Mapping[Place, Mapping[str, Readings]]) -> None:
        rows = [
            (kind, reading)
            for (_, kind), rows in places.items()
            for readings in rows.values()
            for reading in readings
        ]
        self._in_labels = {(kind, part) for kind, row in rows for part in row.label_parts}
        self._anywhere = {(kind, part) for kind, row in rows for part in row.parts}

    def is_proven(self, intent: Intent) -> bool:
        """A mark seen in a name says nothing about labels, so a label asks for a label."""
        if intent.mark is None:
            return False
        seen = self._anywhere if intent.mark_in_name else self._in_labels
        return (intent.kind, intent.mark.document_part) in seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What all claimants of one judgement share."""

    document: Document
    bindings: Mapping[str, Binding]
    echo: Echo
    current: Timings
    policy: Policy


def lacks(item: Item) -> bool:
    """Whether the document misses the item's entity, and no call was answered with its id."""
    missing = item.state in (ItemState.PENDING, ItemState.HELD)
    return missing and item.intent is not None and not item.intent.has_created_fact


def claimants_of(scene: Scene) -> tuple[Claimant, ...]:
    """All intents of the document that lack their entity, asked about or not, in its order.

    How many a name lacks must not depend on who is asked about.
    """
    lacking = [item for item in scene.document.items if lacks(item)]
    family = _Family.of(scene.document, lacking)
    return tuple(_claimant(scene, item, family) for item in lacking)


def ids_known(document: Document) -> Mapping[str, frozenset[str]]:
    """Every external id bound to an item or answered to one of its calls, and to which items."""
    known: dict[str, frozenset[str]] = {}
    for item in document.items:
        for external_id in _ids_of(item.intent):
            known[external_id] = known.get(external_id, frozenset()) | {item.key}
    return known


def rival_claimant(scene: Scene, rival: Rival) -> Claimant:
    """An intent of another document, whose own sieves decide whether it contests a row.

    Its siblings are not known, so nothing is disproved by them; nor is it by marks of its that
    show, for the walk kept them only where they stand beside a name of ours, and one more row must
    never free another. A rival too many only makes a verdict more careful.
    """
    mark = rival.intent.mark
    return Claimant(
        document_id=rival.document_id,
        account_id=scene.document.account_id,
        item=rival.item,
        intent=rival.intent,
        part=mark.document_part if mark else None,
        windows=_windows(rival.intent, rival.attempts, scene.current),
        settle_at=settle_at(rival.intent, rival.attempts, scene.current),
        bindings=scene.bindings,
        echo_proven=False,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Family:
    """What the intents of one document share, made once: a document may have a thousand."""

    item_of_part: Mapping[str, str]
    names: Mapping[str, str]
    lacking: Mapping[Place, frozenset[str]]
    lacking_plain: Mapping[Place, frozenset[str]]
    known: Mapping[str, frozenset[str]]

    @staticmethod
    def of(document: Document, lacking: list[Item]) -> _Family:
        intents = [_intent_of(item) for item in lacking]
        plain = (one for one in intents if one.mark is not None and not one.mark_in_name)
        return _Family(
            item_of_part={item.item_part: item.key for item in document.items},
            names={item.key: item.name for item in document.items},
            lacking=_names_by_place(intents),
            lacking_plain=_names_by_place(plain),
            known=ids_known(document),
        )


def _names_by_place(intents: Iterable[Intent]) -> Mapping[Place, frozenset[str]]:
    names: dict[Place, set[str]] = {}
    for intent in intents:
        names.setdefault((intent.container, intent.kind), set()).add(intent.name)
    return {place: frozenset(those) for place, those in names.items()}


def _claimant(scene: Scene, item: Item, family: _Family) -> Claimant:
    intent, document, policy = _intent_of(item), scene.document, scene.policy
    return Claimant(
        document_id=document.id,
        account_id=document.account_id,
        item=item.key,
        intent=intent,
        part=intent.mark.document_part if intent.mark else document.mark_part,
        windows=_windows(intent, document.attempts, scene.current),
        settle_at=settle_at(intent, document.attempts, scene.current),
        bindings=scene.bindings,
        echo_proven=scene.echo.is_proven(intent),
        item_of_part=family.item_of_part,
        names=family.names,
        lacking_names=family.lacking[intent.container, intent.kind],
        lacking_plain_names=family.lacking_plain.get((intent.container, intent.kind), frozenset()),
        known_here=family.known,
        log=policy.provenance if is_in_log(intent) else None,
        log_must_tell=policy.demands_provenance(document, intent),
        app_id=policy.app_id,
    )


def _intent_of(item: Item) -> Intent:
    assert item.intent is not None, f"{item.key} has no intent: there is nothing to judge"
    return item.intent


def _windows(intent: Intent, attempts: Collection[Attempt], current: Timings) -> Window:
    # Without a call nothing could be ours, and absence would be claimed from a lost record.
    assert intent.calls, "an intent is written together with its first call"
    return window(intent, attempts, current)


def _ids_of(intent: Intent | None) -> set[str]:
    if intent is None:
        return set()
    called = {call.external_id for call in intent.calls}
    return {external_id for external_id in called | {intent.external_id} if external_id}
