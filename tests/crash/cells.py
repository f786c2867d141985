"""One cell of the crash matrix: a process dies at an effect, the next perhaps too, a third ends it.

The list of effects is not kept by hand: a cell whose process outlives its cut says that there is
no such effect, and the loops over cuts end there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any, Final

from fixtures.graph.ground import WorldOptions
from fixtures.memory_ledger import MemoryLedger
from fixtures.stage import OpenLedger, Stage, is_crash
from fixtures.world_graph import Sky, Weather
from reconciler import publish
from reconciler.limits import Limits
from reconciler.model import Document, DocumentState, Echo
from tests.crash.promise import assert_promise

EFFECTS_MAX: Final = 200
"""More than any story here has: a loop that gets there has lost its way."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a process dies: at which of its effects, counted from 0, before or after it."""

    at: int
    after: bool

    def __str__(self) -> str:
        return f"{'after' if self.after else 'before'} effect {self.at}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What is published, and under which sky. `creates` gives single creates, by their number
    from 0, their weather, `batches` whole requests for several. `is_slow`: the world uses up all
    that A3 and A4 allow."""

    plan: Mapping[str, Any]
    creates: Mapping[int, Weather] = field(default_factory=dict)
    batches: Mapping[int, Weather] = field(default_factory=dict)
    create_batch: int = 1
    is_slow: bool = False
    echo: Echo = Echo.LABEL
    open_ledger: OpenLedger = MemoryLedger

    def stage(self) -> Stage:
        """A fresh one, always the same."""
        limits = Limits(concurrency=3, echo=self.echo, create_batch=self.create_batch)
        late_by = limits.late_landing if self.is_slow else timedelta(seconds=5)
        lag = limits.listing_lag if self.is_slow else timedelta(0)
        return Stage(
            limits=limits,
            open_ledger=self.open_ledger,
            sky=Sky(
                by_number=dict(self.creates),
                by_batch=dict(self.batches),
                late_by=late_by,
                cut_lands_after=late_by,
            ),
            options=WorldOptions(lag={"*": lag}),
        )


def run_cell(scene: Scene, *cuts: Cut) -> bool:
    """Publish with a process dying at each of `cuts`, then with one that does not; then judge.

    False where a process outlived its cut: then there is no such cell.
    """
    stage = scene.stage()
    try:
        return _run(stage, scene, cuts)
    except BaseException as error:
        error.add_note(f"in the cell: {', then '.join(map(str, cuts)) or 'no cut'}; {scene}")
        raise
    finally:
        stage.close()


def _run(stage: Stage, scene: Scene, cuts: tuple[Cut, ...]) -> bool:
    document_id = stage.submit(dict(scene.plan))
    for number, cut in enumerate(cuts):
        worker = stage.process(cut.at, cut.after)
        if number == 0:
            died = stage.dies(publish.publish(document_id, worker))
        else:
            died = _dies_on_the_way_to_rest(stage, document_id, worker)
        if not died:
            return False
    document = stage.run_until_rest(document_id)
    if scene.echo is Echo.NONE:
        document = _publish_again(stage, document)
    assert document.state is DocumentState.PUBLISHED, stage.story(document_id)
    assert document.surplus == (), stage.story(document_id)
    assert_promise(stage)
    return True


def _dies_on_the_way_to_rest(stage: Stage, document_id: str, worker: Any) -> bool:
    try:
        stage.run_until_rest(document_id, worker)
    except BaseException as error:
        if not is_crash(error):
            raise
        return True
    return False


def _publish_again(stage: Stage, document: Document) -> Document:
    """Without a mark nothing is made again by itself: it rests until a person says so.

    Once more than there are items: a word of the very instant of a call may have been before it.
    """
    for _ in range(len(document.items) + 1):
        if document.state not in (DocumentState.FAILED, DocumentState.PARTLY_PUBLISHED):
            break
        stage.publish(document.id)
        document = stage.run_until_rest(document.id)
    return document


def single_cuts(scene: Scene) -> Iterator[tuple[Cut, ...]]:
    """Runs every single cut of a publish, before and after each effect; yields those that exist."""
    for after in (False, True):
        yield from _run_on(scene, (), after)


def pairs_of_cuts(scene: Scene) -> Iterator[tuple[Cut, ...]]:
    """Runs every cut of a publish, each followed by every cut of its recovery."""
    for (first,) in list(single_cuts(scene)):
        yield from cuts_behind(scene, first)


def cuts_behind(scene: Scene, first: Cut) -> Iterator[tuple[Cut, ...]]:
    """Runs one cut of a publish, followed by every cut of its recovery."""
    for after in (False, True):
        yield from _run_on(scene, (first,), after)


def _run_on(scene: Scene, before: tuple[Cut, ...], after: bool) -> Iterator[tuple[Cut, ...]]:
    for at in count():
        assert at < EFFECTS_MAX, f"{scene} has no end of effects"
        cuts = (*before, Cut(at, after))
        if not run_cell(scene, *cuts):
            return
        yield cuts
