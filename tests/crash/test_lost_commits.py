"""A commit is not acknowledged: it was made, it was not, or it lands a moment later.

Every write of a publish and of a recovery meets each of these fates on each database (R082). Nobody
guesses: what became of it is read again in a new connection, by the same process or by the next
one. The document ends published, each item once, no id lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from fixtures.crash_points import Process
from fixtures.lives import DiesAt
from fixtures.postgres_cut import Fate
from fixtures.stage import Stage
from fixtures.world_graph import Sky, Weather
from reconciler import publish
from reconciler.errors import LedgerUnavailable
from reconciler.limits import Limits
from reconciler.model import DocumentState
from reconciler.outside import Outside
from tests.crash.lost_commits import LosingCommits, losing_commits
from tests.crash.plans import FOUR_ADS, ONE_AD, TREE, TWINS
from tests.crash.promise import assert_promise
from tests.postgres import Postgres

COMMITS_MAX = 100
"""More than any story here has: a loop that gets there has lost its way."""

DATABASES_AND_FATES = [
    ("sqlite", Fate.LOST),
    ("sqlite", Fate.COMMITTED),
    ("postgres", Fate.LOST),
    ("postgres", Fate.COMMITTED),
    ("postgres", Fate.LATE),
]
Count = Callable[[str, object], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What is published under which sky; `is_recovery`: a first process dies before it saves an id.

    `writes`: the kinds of transactions that it has, each of which must be seen to be cut.
    """

    plan: Mapping[str, Any]
    writes: frozenset[str]
    sky: Mapping[str, Any] = field(default_factory=dict)
    limits: Limits = field(default_factory=lambda: Limits(concurrency=3))
    is_recovery: bool = False


PUBLISH = frozenset({"ledger.submit", "ledger.LeaseFree", "ledger.Claim", "ledger.Fenced"})
LOOK = frozenset({"ledger.SettleLease", "ledger.Fenced"})
STORIES = {
    "a publish": Story(plan=TREE, writes=PUBLISH),
    "a recovery after a kill": Story(
        plan=TWINS, is_recovery=True, writes=LOOK | {"ledger.Takeover", "ledger.Claim"}
    ),
    "a create that was never made": Story(
        plan=ONE_AD, sky={"by_number": {0: Weather.ERROR_BEFORE}}, writes=PUBLISH | LOOK
    ),
    "a throttle": Story(
        plan=ONE_AD, sky={"by_number": {0: Weather.THROTTLED}}, writes=PUBLISH | LOOK
    ),
    "a lost token": Story(
        plan=ONE_AD, sky={"by_number": {0: Weather.REFUSED}}, writes=LOOK | {"ledger.set_account"}
    ),
    "a slow publish that renews its lease": Story(
        plan=FOUR_ADS,
        sky={"latency": timedelta(seconds=4)},
        limits=Limits(
            concurrency=1, lease=timedelta(seconds=60), lease_margin=timedelta(seconds=6)
        ),
        writes=PUBLISH | {"ledger.renew"},
    ),
}


SHORT = ("a publish", "a slow publish that renews its lease")
"""What is played with a commit that lands late: a fate that costs real time."""

CELLS = [
    (database, fate, name)
    for database, fate in DATABASES_AND_FATES
    for name in (SHORT if fate is Fate.LATE else STORIES)
]


@pytest.fixture(scope="module")
def databases(postgres: Postgres) -> Iterator[dict[str, LosingCommits]]:
    """Both, each with its own way to lose an acknowledgement."""
    with losing_commits("sqlite", postgres) as sqlite, losing_commits("postgres", postgres) as ours:
        yield {"sqlite": sqlite, "postgres": ours}


@pytest.mark.parametrize(
    ("database", "fate", "name"), CELLS, ids=[" ".join(cell) for cell in CELLS]
)
def test_every_acknowledgement_may_be_lost(
    database: str,
    fate: Fate,
    name: str,
    databases: dict[str, LosingCommits],
    record_property: Count,
) -> None:
    story, cut = STORIES[name], list[str]()

    for nth in range(COMMITS_MAX):
        written = _play(story, databases[database], nth, fate)
        if written is None:
            break
        cut.append(written)

    assert len(cut) < COMMITS_MAX
    assert set(cut) >= story.writes
    record_property("cells", len(cut))


def _play(story: Story, commits: LosingCommits, nth: int, fate: Fate) -> str | None:
    """The write that was cut; None where there was no such."""
    stage = Stage(open_ledger=commits, limits=story.limits, sky=Sky(**story.sky))
    cut: list[str] = []
    try:
        if story.is_recovery:
            _die_before_an_id_is_saved(stage, story)
        life = Process()
        commits.cut(nth, fate, lambda: cut.append(life.effects[-1]))
        _publish(stage, story, stage.worker(life).outside)
        commits.cut(COMMITS_MAX, fate, lambda: None)
        _finish(stage, story)
    except BaseException as error:
        error.add_note(f"the acknowledgement of commit {nth} was lost: {cut}")
        raise
    finally:
        stage.close()
    return cut[0] if cut else None


def _die_before_an_id_is_saved(stage: Stage, story: Story) -> None:
    document_id = stage.submit(dict(story.plan))
    dying = stage.worker(DiesAt(effect="graph.create", after=True)).outside
    assert stage.dies(publish.publish(document_id, dying))
    stage.time.pass_(stage.limits.lease)


def _publish(stage: Stage, story: Story, worker: Outside) -> None:
    """As far as it comes: some writes are tried again, at others the command ends in an error."""
    try:
        document_id = stage.submit(dict(story.plan), worker=worker)
        stage.publish(document_id, worker)
        stage.run_until_rest(document_id, worker)
    except* LedgerUnavailable:
        pass


def _finish(stage: Stage, story: Story) -> None:
    """Whoever saw the error says the same again."""
    document_id = stage.submit(dict(story.plan))
    document = stage.run_until_rest(document_id)

    assert stage.documents == [document_id]
    assert document.state is DocumentState.PUBLISHED, stage.story(document_id)
    assert document.surplus == (), stage.story(document_id)
    assert len(stage.world.log) >= len(document.items)
    assert_promise(stage)
