"""A program with its own publisher, in the crash matrix: every create of it goes through the guard.

Its `send` is a client that answers as the stage's API does, through the weather, and may die there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fixtures.stage import Stage, due, is_at_rest, is_crash
from reconciler.call_outcome import CreateRequest
from reconciler.create_once import Send, create_once
from reconciler.errors import LedgerUnavailable, NotSettled, Refused
from reconciler.lifecycle import AT_REST
from reconciler.model import Document, DocumentState, Outcome
from reconciler.open_intent import OpenIntent
from reconciler.outside import Outside
from reconciler.settle import settle
from tests.crash.cells import EFFECTS_MAX, Cut, Scene
from tests.crash.promise import assert_promise

ROUNDS_MAX = 60


class Unanswered(Exception):
    """What this program's client raises where it does not know."""


def sender(outside: Outside) -> Send:
    """One request, once, with what the intent says, within its time."""

    async def send(intent: OpenIntent) -> str:
        request = CreateRequest(
            account_id=intent.account_id, kind=intent.kind, params=intent.params
        )
        answer = await outside.graph.create(request, within=outside.limits.call_timeout)
        if answer.outcome is Outcome.REJECTED:
            raise Refused("invalid parameter")
        if answer.external_id is None:
            raise Unanswered(str(answer.outcome))
        return answer.external_id

    return send


async def publish_all(document_id: str, keys: list[str], outside: Outside) -> dict[str, str]:
    """The program: one item after the other, in an order in which references are there."""
    return {
        key: await create_once(OpenIntent(document_id, key, outside), sender(outside))
        for key in keys
    }


def keys_of(plan: Mapping[str, Any]) -> list[str]:
    """The plans of the matrix name what is referred to first."""
    return [item["key"] for item in plan["items"]]


def run_program(stage: Stage, document_id: str, keys: list[str], outside: Outside) -> Document:
    """Start the program again whenever it may go on, until everything is there; look to the end."""
    for _ in range(ROUNDS_MAX):
        until = None
        try:
            stage.time.run(publish_all(document_id, keys, outside))
        except NotSettled as open_:
            until = open_.until
        except (Unanswered, LedgerUnavailable):
            pass
        document = stage.document(document_id)
        if document.state is DocumentState.PUBLISHED:
            return _owed_look(stage, document_id, outside)
        if document.attempts_used >= stage.limits.max_attempts and document.state in AT_REST:
            stage.publish(document_id, outside)  # a person found out why, and gives it new ones
            continue
        stage.time.pass_until(max(until or stage.time.now(), due(stage.view(document_id))))
    raise AssertionError(f"the program never came to its end\n{stage.story(document_id)}")


def _owed_look(stage: Stage, document_id: str, outside: Outside) -> Document:
    for _ in range(ROUNDS_MAX):
        view = stage.view(document_id)
        if is_at_rest(view.document):
            return view.document
        stage.time.pass_until(due(view))
        stage.time.run(settle(document_id, outside))
    raise AssertionError(f"the owed look was never made\n{stage.story(document_id)}")


# --- the matrix ----------------------------------------------------------------------------------


def run_program_cell(scene: Scene, *cuts: Cut) -> bool:
    """A program dies at each of `cuts`, then one does not; then judge.

    False where a program outlived its cut: then there is no such cell.
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
    document_id, keys = stage.submit(dict(scene.plan)), keys_of(scene.plan)
    for cut in cuts:
        if not _dies(stage, document_id, keys, stage.process(cut.at, cut.after)):
            return False
    document = run_program(stage, document_id, keys, stage.process())
    assert document.state is DocumentState.PUBLISHED, stage.story(document_id)
    assert document.surplus == (), stage.story(document_id)
    assert_promise(stage)
    return True


def _dies(stage: Stage, document_id: str, keys: list[str], outside: Outside) -> bool:
    try:
        run_program(stage, document_id, keys, outside)
    except BaseException as error:
        if not is_crash(error):
            raise
        return True
    return False


def single_cuts(scene: Scene) -> Iterator[Cut]:
    """Runs every single cut, before and after each effect; yields those that exist."""
    for after in (False, True):
        for at in range(EFFECTS_MAX):
            cut = Cut(at, after)
            if not run_program_cell(scene, cut):
                break
            yield cut


def pairs_of_cuts(scene: Scene) -> Iterator[tuple[Cut, Cut]]:
    """Runs every single cut, each followed by every cut of what comes after."""
    for first in list(single_cuts(scene)):
        for after in (False, True):
            for at in range(EFFECTS_MAX):
                pair = first, Cut(at, after)
                if not run_program_cell(scene, *pair):
                    break
                yield pair
