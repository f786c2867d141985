"""One story on every ledger: the same state to its last letter, the same evidence and journal.

The rows that are met in it are odd, for there databases differ. Ids and times come from the seed
and from virtual time, so nothing has to be left out of the comparison.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pytest

from adapters.shapes.document_state import document_state
from fixtures.graph.scene import ADSET
from fixtures.memory_ledger import MemoryLedger
from fixtures.stage import OpenLedger
from fixtures.world_graph import US
from reconciler import settle
from tests.crash.plans import Plan, ads
from tests.crash.sqlite_ledgers import sqlite_in_memory
from tests.integration.http_stage import HttpStage, SetUp, crashed

NAMES: Final = (
    "NUL \0 within",
    "\ud83d half of a pair",
    "other half \ude00",
    "\U0001f338 four bytes",
    "\u202eright to left\u202c",
    "ربيع ١",
    "春のキャンペーン",
    "e\u0301te\u0301",
    "\ufeff\u200b\u00a0",
    "back\\slash \\u0000 'quoted' \"twice\" %s {x} ;--",
    "ü" * 400,
)
PLAN: Final = ads("Spring / 1", "ربيع \U0001f338", "Spring / 3")

Disturb = Callable[[HttpStage], None]


def _nothing(_: HttpStage) -> None:
    pass


def _strangers(stage: HttpStage) -> None:
    for name in NAMES:
        labels = [f"label of {name}"[:40]]
        stage.world.colleague_creates("ads", name, parent_id=ADSET, labels=labels)


def _odd_labels_on_ours(stage: HttpStage) -> None:
    _strangers(stage)
    for ours in stage.world.created_by(US, "ad"):
        stage.world.relabel(ours.id, [*ours.labels, *NAMES[:5]])


def _renamed_oddly(stage: HttpStage) -> None:
    """Held: our mark under another name, which stands in the evidence."""
    for ours in stage.world.created_by(US, "ad"):
        stage.world.rename(ours.id, NAMES[0] + NAMES[1])


def _fault(text: str) -> Disturb:
    def disturb(stage: HttpStage) -> None:
        _strangers(stage)
        stage.fake.faults.add(text)

    return disturb


ODDITIES: Final[Mapping[str, Disturb]] = {
    "nothing odd": _nothing,
    "names of strangers": _strangers,
    "labels on ours": _odd_labels_on_ours,
    "our name edited": _renamed_oddly,
    "ids as numbers": _fault("numeric_ids"),
    "no name": _fault("sparse_rows:field=name,as_null=false"),
    "null for a time": _fault("sparse_rows:field=created_time,as_null=true"),
    "no labels": _fault("sparse_rows:field=adlabels,as_null=false"),
    "rows that are none": _fault("odd_rows"),
}


@dataclass(frozen=True)
class Told:
    """All that a ledger can be asked about a document, as text."""

    state: str
    evidence: str
    journal: str


def _told(set_up: SetUp, open_ledger: OpenLedger, plan: Plan, disturb: Disturb, made: bool) -> Told:
    stage = set_up(open_ledger=open_ledger)
    document_id = crashed(stage, made=made, plan=plan)
    disturb(stage)
    for _ in range(4):
        stage.settle(document_id)
        stage.time.pass_(stage.limits.lease * 2)
    stage.time.run(settle.judge_only(document_id, stage.process()))
    view = stage.view(document_id)
    stored = [
        stage.time.run(stage.ledger.evidence(judged.evidence_id))
        for judged in view.document.verdicts
    ]
    return Told(
        state=_text(document_state(view)),
        evidence=_text([[evidence.hash, evidence.body] for evidence in stored]),
        journal=_text([repr(line) for line in stage.time.run(stage.ledger.journal(document_id))]),
    )


def _text(value: Any) -> str:
    return json.dumps(value, indent=1, sort_keys=True)


@pytest.mark.parametrize("disturb", ODDITIES.values(), ids=ODDITIES)
@pytest.mark.parametrize("made", [True, False], ids=["made", "not made"])
def test_every_ledger_tells_the_same(
    set_up: SetUp, postgres_stories: OpenLedger, disturb: Disturb, made: bool
) -> None:
    """R051, R052, R053."""
    memory = _told(set_up, MemoryLedger, PLAN, disturb, made)
    sqlite = _told(set_up, sqlite_in_memory, PLAN, disturb, made)
    assert sqlite == memory

    assert _told(set_up, postgres_stories, PLAN, disturb, made) == memory
    assert '"evidence_hash"' in memory.state
