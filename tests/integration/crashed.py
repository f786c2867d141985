"""Where most stories of settling begin: a worker died before it saved the id of what it made."""

from __future__ import annotations

from fixtures.lives import DiesAt
from fixtures.stage import Stage
from reconciler import publish
from tests.crash.plans import ONE_AD

LEASE_SECONDS = 120.0


def crashed_after_create(stage: Stage) -> str:
    """The document's id; its lease has just ended."""
    document_id = stage.submit(ONE_AD)
    dying = stage.worker(DiesAt(effect="graph.create", after=True)).outside
    assert stage.dies(publish.publish(document_id, dying))
    stage.time.pass_(stage.limits.lease)
    return document_id
