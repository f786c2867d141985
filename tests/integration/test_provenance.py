"""The activity log as a sieve for what is known by name alone: facts section 6."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import httpx
import pytest
from pydantic import SecretStr

from adapters.graph.client import GraphClient
from adapters.graph.tokens import Tokens
from fixtures.graph import Application
from fixtures.graph.scene import ADSET
from reconciler.call_outcome import CreateRequest
from reconciler.limits import Limits
from reconciler.model import Document, Echo, Grade, ItemState, Kind, Reason
from reconciler.policy import Legacy, LegacyEvidence
from reconciler.verdict import Evidence
from tests.crash.plans import ONE_AD
from tests.integration.elsewhere import Elsewhere, finished, line
from tests.integration.http_stage import HttpStage, SetUp, crashed, states

OUR_APP = Legacy(app_id="77001")
LATER = timedelta(minutes=30)


@pytest.fixture
def stage(set_up: SetUp) -> HttpStage:
    """Nothing bears a mark: what is lost is known by name and time."""
    return set_up(limits=Limits(echo=Echo.NONE), page_size=50)


def settled(stage: HttpStage, document_id: str, legacy: Legacy = OUR_APP) -> Document:
    """Whatever can be said, once everything shows."""
    stage.time.pass_(LATER)
    worker = replace(stage.process(), legacy=legacy)
    return stage.settle(document_id, worker, asked=True).view.document


def reads_of_the_log(stage: HttpStage) -> int:
    return stage.fake.count("GET", "activities")


def colleague_makes_the_same(stage: HttpStage) -> None:
    """By hand, a moment after ours: another app in the log."""
    stage.world.colleague_creates("ads", ONE_AD["items"][0]["name"], parent_id=ADSET)


def reason(document: Document) -> Reason | None:
    intent = document.items[0].intent
    return intent.reason if intent else None


def grade(document: Document) -> Grade | None:
    intent = document.items[0].intent
    return intent.found_by if intent else None


def test_an_entity_that_our_app_made_is_found_with_that_grade(stage: HttpStage) -> None:
    document = settled(stage, crashed(stage))

    assert states(document) == [ItemState.CONFIRMED]
    assert grade(document) is Grade.PROVENANCE
    assert reads_of_the_log(stage) == 1


def test_whoever_asks_why_is_shown_both_apps(stage: HttpStage) -> None:
    document = settled(stage, crashed_beside_a_twin(stage, made=True))

    async def evidence() -> Evidence:
        return await stage.process().ledger.evidence(document.verdicts[0].evidence_id)

    stages = {each["stage"]: each for each in stage.time.run(evidence()).body["stages"]}
    (twin,) = stages["provenance"]["examples"]
    assert twin["why"] == "was created by another app"
    assert twin["compared"] == [{"app": "77009", "our_app": "77001"}]


def crashed_beside_a_twin(stage: HttpStage, *, made: bool) -> str:
    """Within the window: as the colleague would at the same moment."""
    document_id = crashed(stage, made=made)
    stage.time.pass_(timedelta(seconds=5))
    colleague_makes_the_same(stage)
    return document_id


@pytest.mark.parametrize("made", [True, False])
def test_another_apps_entity_of_our_name_is_never_taken_for_ours(
    stage: HttpStage, made: bool
) -> None:
    """Without the log the two are ambiguous, and the one alone would be claimed."""
    document = settled(stage, crashed_beside_a_twin(stage, made=made))

    assert states(document) == [ItemState.CONFIRMED if made else ItemState.ABSENT]
    assert reads_of_the_log(stage) == 1


@pytest.mark.parametrize(
    "trouble", ["activity_delay", "access_lost", "html_page", "page_error", "connection_lost"]
)
def test_a_log_that_lags_or_cannot_be_read_says_nothing(stage: HttpStage, trouble: str) -> None:
    """Facts 6.10: two of one name stay ambiguous, as they were without it."""
    if trouble == "activity_delay":
        stage.fake.faults.add("activity_delay:seconds=100000")
    else:
        stage.fake.faults.add(trouble, on_edge="activities", count=None)
    document_id = crashed_beside_a_twin(stage, made=True)

    document = settled(stage, document_id)

    assert (states(document), reason(document)) == ([ItemState.HELD], Reason.AMBIGUOUS)


def test_one_alone_of_which_the_log_does_not_tell_is_known_by_name_and_time(
    stage: HttpStage,
) -> None:
    stage.fake.faults.add("activity_delay:seconds=100000")

    document = settled(stage, crashed(stage))

    assert (states(document), grade(document)) == ([ItemState.CONFIRMED], Grade.NAME_AND_TIME)


def test_a_log_that_is_throttled_is_asked_again_when_the_account_is_open(stage: HttpStage) -> None:
    """Facts 6.8: it shares the allowance of everything else."""
    stage.fake.faults.add("throttle:minutes=7", on_edge="activities", count=1)
    document_id = crashed_beside_a_twin(stage, made=True)

    assert states(settled(stage, document_id)) == [ItemState.PENDING]
    assert states(settled(stage, document_id)) == [ItemState.CONFIRMED]


@pytest.mark.parametrize("kept", ["marked", "no app id", "healthy"])
def test_the_log_is_read_only_where_a_name_would_decide(set_up: SetUp, kept: str) -> None:
    echo = Echo.LABEL if kept == "marked" else Echo.NONE
    stage = set_up(limits=Limits(echo=echo))
    if kept == "healthy":
        document_id = stage.submit(ONE_AD)
        worker = replace(stage.process(), legacy=OUR_APP)
        stage.publish(document_id, worker)
    else:
        document_id = crashed(stage)
    legacy = Legacy() if kept == "no app id" else OUR_APP

    assert states(settled(stage, document_id, legacy)) == [ItemState.CONFIRMED]
    assert reads_of_the_log(stage) == 0


# --- documents from elsewhere ---------------------------------------------------------------------


DEMANDING = Legacy(evidence=LegacyEvidence.PROVENANCE, app_id="77001")


def make_by_the_old_program(stage: HttpStage) -> None:
    """It bears our app's id and a token of its own."""
    stage.fake.options.tokens["old-token"] = "old program"
    stage.world.applications["old program"] = Application("77001", "our app")
    client = GraphClient(
        tokens=Tokens(default=SecretStr("old-token")),
        url="http://graph.test",
        transport=httpx.ASGITransport(stage.fake),
    )
    params = {"name": "lost", "adset_id": ADSET, "creative": {"creative_id": "3001"}}
    request = CreateRequest(account_id="act_1001", kind=Kind.AD, params=params)
    assert stage.time.run(client.create(request, within=LATER)).external_id


def imported(stage: HttpStage, *, by_our_app: bool) -> Document:
    """One lost entity, made by our app or by another."""
    elsewhere = Elsewhere(stage)
    if by_our_app:
        make_by_the_old_program(stage)
    else:
        elsewhere.made("lost")
    stage.time.pass_(timedelta(minutes=6))
    elsewhere.imports(line("D1", "lost"), finished("D2", other="900"))
    stage.time.pass_(LATER)
    return elsewhere.recovered("D1", DEMANDING)


@pytest.mark.parametrize(
    ("by_our_app", "state"), [(True, ItemState.CONFIRMED), (False, ItemState.ABSENT)]
)
def test_where_provenance_is_demanded_the_log_decides(
    stage: HttpStage, by_our_app: bool, state: ItemState
) -> None:
    assert states(imported(stage, by_our_app=by_our_app)) == [state]


@pytest.mark.parametrize(
    "fault", ["activity_delay:seconds=100000", "html_page:on_edge=activities,count=none"]
)
def test_where_it_is_demanded_and_does_not_tell_nothing_is_claimed(
    stage: HttpStage, fault: str
) -> None:
    stage.fake.faults.add(fault)

    document = imported(stage, by_our_app=True)

    assert (states(document), reason(document)) == ([ItemState.HELD], Reason.PROVENANCE)
