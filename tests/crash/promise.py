"""The promise as assertions over the world's own log: who created what, never what our tables say.

The numbers are those of the test programme's safety list. `world.log` is the only oracle: a
document is asked what it claims, and the log is asked whether that is true.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from fixtures.graph.entities import Creation
from fixtures.graph.world import World
from fixtures.stage import Stage
from fixtures.world_graph import US
from reconciler import events
from reconciler.mark import Mark
from reconciler.model import Call, Document, DocumentState, Item, ItemState, Kind, Origin, Outcome

ABSORBING = (DocumentState.PUBLISHED, DocumentState.CANCELLED)


# --- what the log says ---------------------------------------------------------------------------


def created_per_item(world: World, document: Document) -> dict[str, list[Creation]]:
    """Every creation of ours that a request for this item made, deleted ones too.

    By the label and the name that only requests for this item carry. For a document without a mark
    by its name and parent, so no two such documents may share one in a story. Its twins sent equal
    requests: there no entity is one's more than another's, and each counts where it is bound.
    """
    world.land_due()
    ours = [made for made in world.log if _is_our_request(made)]
    found: dict[str, list[Creation]] = {item.key: [] for item in document.items}
    for made in ours:
        fitting = [item for item in document.items if _asked_for(document, item, made, found)]
        if len(fitting) > 1:  # unmarked twins
            fitting.sort(key=lambda item: _rank(item, made, found))
        if fitting:
            found[fitting[0].key].append(made)
    return found


def _rank(
    item: Item, made: Creation, found: Mapping[str, list[Creation]]
) -> tuple[bool, bool, bool, int]:
    """Where it is bound; else where nothing is, a call is left that could have made it, and least
    was found."""
    bound = item.intent.external_id if item.intent else None
    calls = item.intent.calls if item.intent else ()
    sent = sum(call.outcome is not Outcome.NOT_SENT for call in calls)
    count = len(found[item.key])
    return bound != made.id, bound is not None, count >= sent, count


def live_entities_per_item(world: World, document: Document) -> dict[str, list[str]]:
    """Ids of what our requests for each item made and nobody deleted."""
    return {
        key: [made.id for made in creations if _is_live(world, made.id)]
        for key, creations in created_per_item(world, document).items()
    }


def _is_our_request(made: Creation) -> bool:
    return made.actor == US and not made.by_hand and made.part_of is None


def _is_live(world: World, entity_id: str) -> bool:
    return world.effective_status(world.entities[entity_id]) != "DELETED"


def _asked_for(
    document: Document, item: Item, made: Creation, found: Mapping[str, list[Creation]]
) -> bool:
    if made.kind != item.kind or made.account_id != document.account_id:
        return False
    if item.parent_ref is None:
        is_parent = item.parent is not None and made.parent_id == item.parent.id
    else:
        is_parent = made.parent_id in {parent.id for parent in found[item.parent_ref]}
    if not is_parent:
        return False
    if document.mark_part is None:
        return made.name == item.name and not _marks(made)
    if document.mark_part not in made.labels:
        return False
    suffix = Mark(document.mark_part, item.item_part).as_name_suffix()
    return made.name in ({item.name + suffix} if item.is_twin else {item.name, item.name + suffix})


def _marks(made: Creation) -> list[str]:
    return [label for label in made.labels if label.startswith("rc1-")]


# --- the promise ---------------------------------------------------------------------------------


def assert_promise(stage: Stage, *, makes_twice: bool = False) -> None:
    """Every safety invariant that can be read off a stage standing still.

    `makes_twice`: one request may make two entities (outside A8), so only bindings are held to it.
    """
    documents = [stage.document(document_id) for document_id in stage.documents]
    for document in documents:
        try:
            assert_nothing_foreign_is_bound(stage.world, document)
            if not makes_twice:
                assert_nothing_exists_twice(stage.world, document)
            assert_written_before_sent(stage.world, document)
            assert_attributes_are_the_apis(stage.world, document)
            assert_verdicts_rest_on_complete_listings(stage, document)
            assert_journal_is_orderly(stage, document)
            assert_what_is_queued_is_due(document)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{stage.story(document.id)}") from error
    assert_nothing_is_bound_twice(documents)
    assert_every_creation_is_explained(stage.world, documents)


def assert_nothing_foreign_is_bound(world: World, document: Document) -> None:
    """S1: an adopted id was created by one of our requests for this item."""
    created = created_per_item(world, document)
    for item in document.items:
        bound = item.intent.external_id if item.intent else None
        made_for_it = {made.id for made in created[item.key]} | _given_again(world, item)
        assert bound is None or bound in made_for_it, (
            f"S1: {item.key} is bound to {bound}, which no request for it made"
        )
        assert (item.state is ItemState.CONFIRMED) == (bound is not None), f"{item.key}: {item}"


def _given_again(world: World, item: Item) -> set[str]:
    """Creatives that existed, and that the API answered our request for this item with (4.9)."""
    if item.kind is not Kind.ADCREATIVE or item.intent is None:
        return set()
    return {id_ for name, id_ in world.deduplicated if name == item.intent.name_sent}


def assert_nothing_is_bound_twice(documents: Iterable[Document]) -> None:
    """S2."""
    bound = Counter(
        item.intent.external_id
        for document in documents
        for item in document.items
        if item.intent and item.intent.external_id and item.kind is not Kind.ADCREATIVE
    )
    assert not [id_ for id_, count in bound.items() if count > 1], f"S2: bound twice: {bound}"


def assert_nothing_exists_twice(world: World, document: Document) -> None:
    """S3: at most one live entity of ours stands for an item."""
    live = live_entities_per_item(world, document)
    twice = {key: ids for key, ids in live.items() if len(ids) > 1}
    assert not twice, f"S3: more than one entity for one item: {twice}"


def assert_written_before_sent(world: World, document: Document) -> None:
    """S9, S15: no more was created than calls were written; one sent call an intent and attempt."""
    created = created_per_item(world, document)
    for item in document.items:
        calls = item.intent.calls if item.intent else ()
        sent = [call for call in calls if call.outcome is not Outcome.NOT_SENT]
        assert len(created[item.key]) <= len(sent) or _is_twin_of_proxy(created[item.key], sent), (
            f"S9: {item.key}: {len(created[item.key])} created, {len(sent)} calls written"
        )
        attempts = Counter(call.attempt for call in sent)
        assert not attempts or max(attempts.values()) == 1, f"S15: {item.key} sent twice: {calls}"


def _is_twin_of_proxy(made: list[Creation], sent: list[Call]) -> bool:
    """Two creations of one moment: a proxy repeated our request (outside A8)."""
    return len({one.committed_at for one in made}) <= len(sent)


def assert_attributes_are_the_apis(world: World, document: Document) -> None:
    """S4: what was recovered stands so in the world; nothing is invented."""
    for item in document.items:
        data = item.intent.attributes if item.intent else None
        if data is None or item.intent is None:
            continue
        entity = world.entities[str(data["id"])]
        assert data["id"] == item.intent.external_id, f"S4: {item.key} has another's attributes"
        assert data.get("created_time", entity.created_time) == entity.created_time, "S4"


def assert_verdicts_rest_on_complete_listings(stage: Stage, document: Document) -> None:
    """S12: an incomplete listing yields no verdict."""
    for judged in document.verdicts:
        if judged.verdict == "inconclusive":
            continue
        body = stage.time.run(stage.ledger.evidence(judged.evidence_id)).body
        if body["listing"] is not None:  # None: known by reply, without a listing
            complete = body["listing"]["complete"] or body["grade"] == "mark"
            assert complete, f"S12: {judged.item} {judged.verdict} from an incomplete listing"
            assert body["walks"], f"S12: {judged.item} judged without a walk"


def assert_journal_is_orderly(stage: Stage, document: Document) -> None:
    """S8: published and cancelled absorb. S9: attempts recorded are the claims made."""
    lines = stage.time.run(stage.ledger.journal(document.id))
    claims = sum(line.event.kind == events.CLAIMED for line in lines)
    assert claims == len(document.attempts), f"S9: {claims} claims, {len(document.attempts)}"
    states = [line.event.detail.get("state") for line in lines if line.event.kind == events.STATE]
    for state in ABSORBING:
        if state.value in states:
            after = states[states.index(state.value) :]
            assert set(after) == {state.value}, f"S8: {states}"
            assert document.state is state, f"S8: {states}, then {document.state}"


def assert_every_creation_is_explained(world: World, documents: Iterable[Document]) -> None:
    """S9 again, from the other side: nothing of ours is in the log that no item asked for."""
    explained = {
        made.id
        for document in documents
        for creations in created_per_item(world, document).values()
        for made in creations
    }
    stray = [made for made in world.log if _is_our_request(made) and made.id not in explained]
    assert not stray, f"S9: created without an item: {stray}"


def assert_what_is_queued_is_due(document: Document) -> None:
    """L1: no look of any kind may leave a queued document without a time at which it is due."""
    if document.state is DocumentState.QUEUED and document.origin is Origin.OURS:
        assert document.due_at is not None, "queued, and due never"
