"""The Graph port of a stage with an activity log, which may be hidden or too long to be read."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime

from fixtures.graph.activities import CREATE_EVENTS, Activity, activities, application_of
from fixtures.graph.entities import Application
from fixtures.stage import Stage
from fixtures.world_graph import WorldGraph
from reconciler.activity_log import MARGIN, Creation, LoggedCreations, UnreadLog
from reconciler.policy import Legacy, LegacyEvidence

OUR_APP = "77001"
LOGGED = Legacy(app_id=OUR_APP)
DEMANDING = Legacy(app_id=OUR_APP, evidence=LegacyEvidence.PROVENANCE)


@dataclass(slots=True)
class LoggedGraph(WorldGraph):
    """`log_reads` are the times that were asked for. `rows_max`: more creations are too long."""

    log_reads: list[tuple[datetime, datetime]] = field(default_factory=list)
    is_hidden: bool = False
    rows_max: int = 1_000

    async def logged_creations(
        self, account_id: str, since: datetime, until: datetime
    ) -> LoggedCreations | UnreadLog:
        """As the real client reads it: all of a time, or nothing."""
        await asyncio.sleep(self.sky.latency.total_seconds())
        self.log_reads.append((since, until))
        if self.is_hidden:
            return UnreadLog(pages=1)
        told = [
            self._creation(each)
            for each in activities(self.world, account_id)
            if each.event in CREATE_EVENTS.values()
        ]
        first, behind = (int(t.timestamp()) for t in (since - MARGIN, until + MARGIN))
        rows = [one for one in told if one.at and first <= one.at.timestamp() < behind]
        if len(rows) > self.rows_max:
            return UnreadLog(is_too_long=True, pages=1)
        return LoggedCreations(creations=tuple(rows))

    def _creation(self, activity: Activity) -> Creation:
        app = application_of(self.world, activity)
        at = self.world.server_time(activity.at).replace(microsecond=0)
        return Creation(activity.entity.id, app.id, at)


def with_log(stage: Stage) -> LoggedGraph:
    """The stage's API from now on. What the other program makes is made with our app."""
    graph = LoggedGraph(stage.world, sky=stage.sky, page_size=stage.page_size)
    stage.graph = graph
    stage.world.applications["elsewhere"] = Application(OUR_APP, "our app")
    return graph
