"""Faults of creates, quotas and look-ups that real users met, played to the end over HTTP.

Where the case is about a batch, this is its kind for creates sent side by side, one by one: some
succeed, one is refused, one is not known, and none of it lands on a neighbour.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from fixtures.graph.scene import ACCOUNT, ADSET
from fixtures.world_graph import US
from reconciler import settle
from reconciler.limits import Limits
from reconciler.model import Document, DocumentState, Echo, ItemState, Outcome, Reason
from tests.crash.plans import ONE_AD, TREE, Plan, ads
from tests.integration.http_stage import (
    HttpStage,
    SetUp,
    crashed,
    live,
    looked_for_an_hour,
    states,
)

FIVE = ads(*(f"Spring / {number}" for number in range(1, 6)))
CONFIRMED, PENDING = ItemState.CONFIRMED, ItemState.PENDING


@pytest.fixture
def stage(set_up: SetUp) -> HttpStage:
    return set_up()


def messages(document: Document) -> list[str]:
    calls = (call for item in document.items if item.intent for call in item.intent.calls)
    return [call.error.message for call in calls if call.error is not None]


def names_of_ids(stage: HttpStage, document: Document) -> list[tuple[str, str]]:
    """Each item's name beside the name of the entity whose id it has."""
    entities = stage.world.entities
    return [
        (item.name, entities[item.intent.external_id].name)
        for item in document.items
        if item.intent and item.intent.external_id
    ]


# --- several creates, several answers -------------------------------------------------------------


@pytest.mark.parametrize("at", [2, 4, 5])
@pytest.mark.parametrize(
    ("fault", "was_made"),
    [
        ("error_after_commit", True),
        ("error_before_commit", False),
        ("html_page:status=502,commit=true", True),
        ("connection_lost:reset=true", False),
        ("flaky_creative:commit=true", True),
    ],
)
def test_one_of_five_is_not_known_and_no_id_lands_on_a_neighbour(
    stage: HttpStage, fault: str, was_made: bool, at: int
) -> None:
    """R002: the other four are saved; that one is neither failed nor sent again on a guess."""
    stage.fake.faults.add(fault, nth=at, method="POST")
    document_id = stage.submit(FIVE)

    attempted = stage.publish(document_id).view.document
    sent = stage.fake.count("POST")
    document = stage.run_until_rest(document_id)

    assert all(name == stored for name, stored in names_of_ids(stage, attempted))
    assert sent <= 5
    assert document.state is DocumentState.PUBLISHED
    assert live(stage, document) == [1] * 5
    assert all(name == stored for name, stored in names_of_ids(stage, document))
    assert stage.fake.count("POST") == (5 if was_made else 6)


@pytest.mark.parametrize(
    "fault",
    [
        "error_200:code=100,is_transient=none,commit=false",
        "validation_error",
        "validation_error:error_data=text",
    ],
)
def test_a_refusal_under_any_status_is_one_and_nothing_is_looked_up(
    stage: HttpStage, fault: str
) -> None:
    """R003: a 200 is no success; the message is kept, the document is not published."""
    stage.fake.faults.add(fault, count=2)
    document_id = stage.submit(ads("Spring / 1", "Spring / 2"))

    document = stage.publish(document_id).view.document

    assert states(document) == [ItemState.REJECTED] * 2
    assert document.state is DocumentState.FAILED
    assert len(messages(document)) == 2
    assert all(messages(document))
    assert (stage.fake.count("GET"), live(stage, document)) == (0, [0, 0])


@pytest.mark.parametrize("made", [True, False], ids=["made", "not made"])
@pytest.mark.parametrize(
    "fault", ["null_200", "empty_200", "id_less_200", "bare_string_200", "html_200", "cut_json"]
)
def test_an_answer_without_an_id_is_unknown_whatever_its_status_and_never_sent_again_by_itself(
    stage: HttpStage, fault: str, made: bool
) -> None:
    """R004: the two beside it keep their own ids."""
    if fault != "cut_json":
        fault = f"{fault}:commit={str(made).lower()}"
    stage.fake.faults.add(fault, nth=2, method="POST")
    document_id = stage.submit(ads("Spring / 1", "Spring / 2", "Spring / 3"))

    attempted = stage.publish(document_id).view.document
    sent = stage.fake.count("POST")
    document = stage.run_until_rest(document_id)

    second = attempted.items[1].intent
    assert second is not None
    assert second.calls[0].outcome is Outcome.UNKNOWN
    assert sent <= 3
    assert document.state is DocumentState.PUBLISHED
    assert live(stage, document) == [1, 1, 1]
    assert all(name == stored for name, stored in names_of_ids(stage, document))
    again = 0 if made or fault == "cut_json" else 1
    assert stage.fake.count("POST") == 3 + again


# --- what is looked for is what the document says -------------------------------------------------


@pytest.mark.parametrize("fault", [None, "reply_lost_after_commit", "error_after_commit"])
@pytest.mark.parametrize("at", [1, 2, 3])
def test_every_path_of_a_tree_is_the_documents_own(
    stage: HttpStage, fault: str | None, at: int
) -> None:
    """R043: the ids of children never become the place of the next create, nor of a look."""
    if fault is not None:
        stage.fake.faults.add(fault, nth=at, method="POST")
    document_id = stage.submit(TREE)

    stage.publish(document_id)
    document = stage.run_until_rest(document_id)

    campaign, adset, _ = (item.intent.external_id for item in document.items if item.intent)
    posted = [(call.node, call.edge) for call in stage.fake.requests if call.method == "POST"]
    assert posted == [(ACCOUNT, "campaigns"), (ACCOUNT, "adsets"), (ACCOUNT, "ads")]
    listed = {(c.node, c.edge) for c in stage.fake.requests if c.is_listing}
    own = {(ACCOUNT, "campaigns"), (campaign, "adsets"), (adset, "ads"), (ACCOUNT, "adlabels")}
    assert listed <= own
    assert live(stage, document) == [1, 1, 1]


@pytest.mark.parametrize("items", [1, 30])
@pytest.mark.parametrize("echo", [Echo.NONE, Echo.LABEL])
def test_a_name_that_everything_bears_is_adopted_by_nobody_in_fifty_looks(
    set_up: SetUp, items: int, echo: Echo
) -> None:
    """R042: 30 rows called `Always On` and a document that lost its answer, with and without."""
    stage = set_up(limits=Limits(echo=echo), page_size=100)
    document_id = crashed(stage, made=False, plan=ads(*["Always On"] * items))
    for _ in range(30):
        stage.world.colleague_creates("ads", "Always On", parent_id=ADSET)

    for _ in range(50):
        stage.settle(document_id)
        stage.time.pass_(timedelta(minutes=5))

    document = stage.document(document_id)
    assert stage.fake.count("POST") == 0
    assert all(item.intent is None or item.intent.external_id is None for item in document.items)
    assert CONFIRMED not in states(document)


@pytest.mark.parametrize("made", [True, False], ids=["made", "not made"])
@pytest.mark.parametrize("echo", [Echo.NONE, Echo.LABEL])
def test_what_is_doubtful_is_held_with_its_candidates_and_later_runs_are_quiet(
    set_up: SetUp, echo: Echo, made: bool
) -> None:
    """R018: beside two strangers of the same name and minute; only a mark that came back tells."""
    stage = set_up(limits=Limits(echo=echo), page_size=50)
    document_id = crashed(stage, made=made)
    strangers = [
        stage.world.colleague_creates("ads", "Spring / 1", parent_id=ADSET) for _ in range(2)
    ]

    document = stage.run_until_rest(document_id)

    found = made and echo is Echo.LABEL
    assert document.state is (DocumentState.PUBLISHED if found else DocumentState.HELD)
    asked = len(stage.fake.requests)
    for _ in range(10):
        stage.settle(document_id)
        stage.time.pass_(timedelta(hours=1))
    assert len(stage.fake.requests) == asked
    assert stage.fake.count("POST") == int(made)
    (verdict,) = document.verdicts
    evidence = str(stage.time.run(stage.ledger.evidence(verdict.evidence_id)).body)
    assert all(stranger.id in evidence for stranger in strangers)


@pytest.mark.parametrize("how", ["cut,length_max=6", "escape", "trim"])
def test_what_reads_otherwise_than_it_was_sent_is_said_and_its_id_is_kept(
    stage: HttpStage, how: str
) -> None:
    """R044: on a live create; nothing is changed outside."""
    stage.fake.faults.add(f"name_stored:how={how}")
    document_id = stage.submit(ads("Tom & Jerry"))
    stage.publish(document_id)
    stage.time.pass_(timedelta(minutes=5))

    stage.time.run(settle.settle(document_id, stage.process(), refresh=True))

    (item,) = stage.document(document_id).items
    assert item.intent is not None
    assert item.state is CONFIRMED
    warned = [warning for warning in item.intent.warnings if warning.startswith("name: sent")]
    assert bool(warned) == (how != "trim")
    assert {call.method for call in stage.fake.requests[1:]} == {"GET"}


@pytest.mark.parametrize("by", ["a person", "the API"])
@pytest.mark.parametrize("plan", [ONE_AD, ads("Spring / 1", "Spring / 1")], ids=["one", "twins"])
def test_an_ad_that_reads_active_is_recovered_and_said_loudly(
    set_up: SetUp, by: str, plan: Plan
) -> None:
    """R047: sent PAUSED; no status is changed and nothing is deleted."""
    stage = set_up()
    document_id = crashed(stage, plan=plan)
    (made,) = stage.world.live("ad")
    stage.world.edit(made.id, {"status": "ACTIVE"}, actor="buyer" if by == "a person" else US)

    stage.settle(document_id)

    item = stage.document(document_id).items[0]
    assert item.intent is not None
    assert (item.state, item.intent.external_id) == (CONFIRMED, made.id)
    assert "status: sent PAUSED, reads ACTIVE" in item.intent.warnings
    methods = [call.method for call in stage.fake.requests]
    assert (methods.count("POST"), set(methods)) == (1, {"POST", "GET"})
    assert stage.world.entities[made.id].status == "ACTIVE"


# --- trouble that calls itself passing ------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("page_error:code=2", "HTTP 500, code 2, subcode None, trace Afake"),
        ("page_error:code=2,status=200", "HTTP 200, code 2, subcode None, trace Afake"),
        ("page_error", "HTTP 500, code 1, subcode 99"),
        ("html_page:status=503", "HTTP 503"),
    ],
)
def test_a_list_that_is_always_unavailable_is_asked_a_bounded_number_of_times(
    stage: HttpStage, fault: str, told: str
) -> None:
    """R094: then it is incomplete, with code and trace, and there is no verdict."""
    document_id = crashed(stage)
    stage.fake.faults.add(fault, count=None, method="GET")

    looked_at = stage.settle(document_id).view.document
    asked = stage.fake.count("GET")
    document = looked_for_an_hour(stage, document_id)

    assert asked <= 3
    assert stage.fake.count("GET") <= 13 * 3
    assert states(looked_at) == states(document) == [PENDING]
    (verdict,) = document.verdicts
    assert verdict.reason == Reason.LISTING_INCOMPLETE
    evidence = stage.time.run(stage.ledger.evidence(verdict.evidence_id))
    assert told in str(evidence.body)


def test_creates_that_are_always_unavailable_end_after_a_bounded_number_of_tries(
    set_up: SetUp,
) -> None:
    """R094: code 2 for ever; each is looked for before the next is sent, and none was made."""
    stage = set_up(limits=Limits(max_attempts=3))
    stage.fake.faults.add("error_before_commit", count=None)
    document_id = stage.submit(ONE_AD)

    stage.publish(document_id)
    document = stage.run_until_rest(document_id)

    assert document.state is DocumentState.FAILED
    assert stage.fake.count("POST") <= 3
    assert live(stage, document) == [0]
    assert all("(#2)" in message for message in messages(document))
