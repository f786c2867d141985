"""Documents in every state that the operator's page has something of its own to show for."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from fixtures.graph.scene import ADSET, CREATIVE
from fixtures.lives import DiesAt
from fixtures.stage import Stage
from fixtures.world_graph import US, Weather
from reconciler import pausing, publish
from reconciler.model import DocumentState, Reason
from reconciler.resolve import resolve
from reconciler.resolve_decision import Choice, Decision
from tests.crash.plans import ads

HOSTILE: Final = "<script>alert(1)</script>\u202egnp.exe \"'><img src=x onerror=alert(2)>"
"""A name and a title of somebody who means harm."""


def titled(title: str, *names: str) -> dict[str, Any]:
    return ads(*names) | {"title": title}


def published(stage: Stage, title: str = "Spring, north") -> str:
    document_id = stage.submit(titled(title, f"{title} / 1", f"{title} / 2"))
    stage.publish(document_id)
    return document_id


def crashed(stage: Stage, title: str = "Summer") -> str:
    """Its worker died after the create; the lease has ended, and nobody looked yet."""
    document_id = stage.submit(titled(title, f"{title} / 1", f"{title} / 2"))
    dying = stage.worker(DiesAt(effect="graph.create", after=True)).outside
    assert stage.dies(publish.publish(document_id, dying))
    stage.time.pass_(stage.limits.lease)
    return document_id


def rescued(stage: Stage, title: str = "Autumn") -> str:
    """Found by its mark after a crash, with a crowd of other rows in the ad set."""
    document_id = crashed(stage, title)
    for number in range(12):
        stranger(stage, f"Other {number}")
    stranger(stage, f"{title} / 1")
    stage.time.pass_(stage.limits.late_landing + stage.limits.listing_lag)
    stage.settle(document_id)
    stage.run_until_rest(document_id)
    return document_id


def held_beside_a_stranger(stage: Stage, title: str = "Winter") -> tuple[str, str]:
    """Held, echo_unproven: nothing of its own was made, and a colleague's ad has its name."""
    document_id = stage.submit(titled(title, f"{title} / 1"))
    dying = stage.worker(DiesAt(effect="graph.create")).outside
    assert stage.dies(publish.publish(document_id, dying))
    theirs = stranger(stage, f"{title} / 1")
    settled(stage, document_id)
    return document_id, theirs


def held_beside_a_cut_mark(stage: Stage, title: str = "Summer") -> str:
    """Held, echo_unproven: as before, and beside that a row with what is left of a mark."""
    document_id = stage.submit(titled(title, f"{title} / 1"))
    dying = stage.worker(DiesAt(effect="graph.create")).outside
    assert stage.dies(publish.publish(document_id, dying))
    stranger(stage, f"{title} / 1")
    stage.world.relabel(stranger(stage, f"{title} / 1"), ["rc1-short"])
    settled(stage, document_id)
    return document_id


def held_before_two(stage: Stage, title: str = "Sale") -> tuple[str, list[str]]:
    """Held, ambiguous: one request made two entities (outside A8)."""
    document_id = stage.submit(titled(title, f"{title} / 1"))
    stage.sky.by_number[len(stage.graph.creates)] = Weather.MADE_TWICE
    dying = stage.worker(DiesAt(effect="graph.create", after=True)).outside
    assert stage.dies(publish.publish(document_id, dying))
    settled(stage, document_id)
    made = [one.id for one in stage.world.created_by(US, "ad") if one.name.startswith(title)]
    return document_id, made


def blind(stage: Stage, title: str = "Clearance") -> str:
    """Unsettled: no listing that should have told comes to its end, from now on."""
    document_id = crashed(stage, title)
    go_blind(stage)
    stage.settle(document_id)
    return document_id


def go_blind(stage: Stage) -> None:
    """From now on no listing comes to its end."""
    for number in range(len(stage.graph.walks), 1_000):
        stage.sky.blind[number] = Reason.LISTING_INCOMPLETE


def with_surplus(stage: Stage, title: str = "Outlet") -> tuple[str, list[str]]:
    """Published: a person adopted the first of two that one request made. The other is surplus."""
    document_id, made = held_before_two(stage, title)
    decision = Decision(
        item="a1", choice=Choice.ADOPT, reason="the older one", by="ann", external_id=made[0]
    )
    stage.time.run(resolve(document_id, decision, stage.process()))
    return document_id, made


def refused(stage: Stage, title: str = "Black Friday") -> str:
    """Partly published: the API refused the input of one item."""
    document_id = stage.submit(titled(title, f"{title} / 1", f"{title} / 2"))
    stage.sky.by_name[f"{title} / 2"] = Weather.INVALID
    stage.publish(document_id)
    return document_id


def throttled(stage: Stage, title: str = "Late summer") -> str:
    """Queued, and the API closed its account for a while."""
    document_id = stage.submit(titled(title, f"{title} / 1"))
    stage.sky.by_name[f"{title} / 1"] = Weather.THROTTLED
    stage.publish(document_id)
    return document_id


def paused(stage: Stage, title: str = "New year") -> str:
    """Queued, and a person paused its account."""
    document_id = stage.submit(titled(title, f"{title} / 1"), publish=True)
    account_id = stage.document(document_id).account_id
    stage.time.run(pausing.pause(account_id, "budget review until Friday", stage.process()))
    return document_id


def hostile(stage: Stage) -> str:
    """A draft whose title means harm, and an item whose name does as far as a plan lets it."""
    return stage.submit(titled(HOSTILE, HOSTILE, "long " * 70))


def hostile_beside_a_hostile_stranger(stage: Stage) -> str:
    """Held, and the row that may be it bears such a name too."""
    document_id, _ = held_beside_a_stranger(stage, HOSTILE)
    return document_id


def stranger(stage: Stage, name: str) -> str:
    """The id of an unmarked ad that a colleague makes now."""
    creative = {"creative_id": CREATIVE}
    return stage.world.colleague_creates("ads", name, parent_id=ADSET, creative=creative).id


def settled(stage: Stage, document_id: str) -> None:
    """Let everything show, and look."""
    limits = stage.limits
    stage.time.pass_(limits.lease + limits.late_landing + limits.listing_lag)
    stage.settle(document_id)
    if stage.document(document_id).state is DocumentState.QUEUED:
        stage.time.pass_(limits.late_landing + limits.listing_lag + timedelta(seconds=1))
        stage.settle(document_id)
