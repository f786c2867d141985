"""Documents from elsewhere: taken over once, told anew while they ran, refused where they clash."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from fixtures.lives import DiesAt
from fixtures.stage import Stage
from fixtures.virtual_time import START
from reconciler.errors import InvalidImport, WrongState
from reconciler.lifecycle import shown_next
from reconciler.model import Document, DocumentState, Grade, ItemState, NextAction, Reason
from reconciler.resolve_decision import Choice, Decision
from reconciler.signature import is_unsettled
from reconciler.sweep import sweep
from tests.crash.plans import ONE_AD
from tests.integration.elsewhere import GONE, SECOND, Elsewhere, finished, line, shown
from tests.integration.held import refusal

HOUR = timedelta(hours=1)
D = DocumentState


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    stage = Stage()
    yield Elsewhere(stage)
    stage.close()


def grades(document: Document) -> list[tuple[str, str | None]]:
    """State of each item, with how it is known or why it is not."""
    told: list[tuple[str, str | None]] = []
    for item in document.items:
        known = item.intent and (item.intent.found_by or item.intent.reason)
        told.append((item.state.value, known.value if known else None))
    return told


# --- taken over, once ----------------------------------------------------------------------------


def test_the_same_lines_again_change_nothing(elsewhere: Elsewhere) -> None:
    elsewhere.stage.time.pass_(HOUR)
    lines = [line("1", "A", "A"), finished("2", B="901"), line("3", "C", publish_started_at=None)]

    first = elsewhere.imports(*lines)
    before = [elsewhere.stage.document(each) for each in "123"]
    again = elsewhere.imports(*lines, gone_before=GONE + SECOND)

    assert (first.accepted, first.unchanged, first.refused) == (3, 0, 0)
    assert (again.accepted, again.unchanged, again.refused) == (0, 3, 0)
    assert [elsewhere.stage.document(each) for each in "123"] == before
    journal = elsewhere.stage.time.run(elsewhere.stage.ledger.journal("1"))
    assert [each.event.kind for each in journal] == ["imported"]


def test_other_content_under_a_known_id_is_refused(elsewhere: Elsewhere) -> None:
    elsewhere.stage.time.pass_(HOUR)

    told = elsewhere.imports(line("1", "A"), line("2", "B"), line("1", "B"))
    again = elsewhere.imports(line("1", "A", "B"))

    assert (told.accepted, told.refused, again.accepted, again.refused) == (2, 1, 0, 1)
    assert elsewhere.reasons[0][0] == "document_id"
    assert [item.name for item in elsewhere.stage.document("1").items] == ["A"]


def test_an_id_or_key_of_a_submitted_document_is_refused(elsewhere: Elsewhere) -> None:
    document_id = elsewhere.stage.submit(ONE_AD, key="spring")
    elsewhere.stage.time.pass_(HOUR)

    told = elsewhere.imports(line(document_id, "A"), line("spring", "A"))

    assert (told.accepted, told.refused) == (0, 2)
    assert {reason.partition(";")[0] for _, reason in elsewhere.reasons} == {
        "is the id or the key of a submitted document"
    }


def test_a_plan_under_the_key_of_an_imported_document_is_refused(elsewhere: Elsewhere) -> None:
    elsewhere.stage.time.pass_(HOUR)
    elsewhere.imports(line("spring", "A"))

    with pytest.raises(WrongState):
        elsewhere.stage.submit(ONE_AD, key="spring")


def test_nobody_can_say_who_will_be_gone(elsewhere: Elsewhere) -> None:
    with pytest.raises(InvalidImport, match="in the future"):
        elsewhere.imports(line("1", "A"), gone_before=GONE)


# --- still running -------------------------------------------------------------------------------


def test_what_may_still_run_is_left_alone_until_a_later_time_covers_it(
    elsewhere: Elsewhere,
) -> None:
    elsewhere.stage.time.pass_(HOUR)
    seen = line("1", "A", last_seen_at=shown(START + 10 * 60 * SECOND))

    elsewhere.imports(seen, finished("0", Z="900"))
    left = elsewhere.recovered("1")
    elsewhere.imports(seen, gone_before=START + 20 * 60 * SECOND)
    covered = elsewhere.stage.view("1").document

    assert (left.state, left.lease, covered.state) == (D.PUBLISHING, None, D.PUBLISHING)
    assert covered.lease is not None
    assert covered.lease.until == START + 20 * 60 * SECOND
    assert elsewhere.recovered("1").state is D.FAILED


def test_a_later_export_may_tell_how_a_running_one_went_on(elsewhere: Elsewhere) -> None:
    elsewhere.stage.time.pass_(HOUR)
    late = shown(START + 10 * 60 * SECOND)
    pair = {"name": "A", "external_id": "901"}
    elsewhere.imports(line("1", "A", "B", last_seen_at=late))

    more = elsewhere.imports(line("1", "A", "B", last_seen_at=late, recorded=[pair]))
    less = elsewhere.imports(line("1", "A", "B", last_seen_at=late))
    ended = line("1", "A", "B", last_seen_at=late, recorded=[pair], publish_finished_at=late)
    end = elsewhere.imports(ended)
    reopened = elsewhere.imports(line("1", "A", "B", last_seen_at=late, recorded=[pair]))

    told = [(each.accepted, each.refused) for each in (more, less, end, reopened)]
    assert told == [(1, 0), (0, 1), (1, 0), (0, 1)]
    assert elsewhere.stage.document("1").state is D.PARTLY_PUBLISHED


def test_a_draft_may_be_told_anew_once_it_began(elsewhere: Elsewhere) -> None:
    elsewhere.stage.time.pass_(HOUR)
    draft = line("1", "A", publish_started_at=None)
    elsewhere.imports(draft)

    began = elsewhere.imports(line("1", "A"))
    back = elsewhere.imports(draft)

    assert [(each.accepted, each.refused) for each in (began, back)] == [(1, 0), (0, 1)]
    assert elsewhere.stage.document("1").state is D.PUBLISHING


def test_what_crashed_with_every_id_recorded_is_published_without_a_look(
    elsewhere: Elsewhere,
) -> None:
    elsewhere.stage.time.pass_(HOUR)
    elsewhere.imports(finished("1", A="901") | {"publish_finished_at": None})

    assert elsewhere.recovered("1").state is D.PUBLISHED
    assert elsewhere.stage.graph.walks == []


@pytest.mark.parametrize(
    "changed",
    [{"names": ["B"]}, {"account_id": "act_7"}, {"publish_started_at": shown(START + SECOND)}],
)
def test_what_a_running_one_wants_stays(elsewhere: Elsewhere, changed: dict[str, Any]) -> None:
    elsewhere.stage.time.pass_(HOUR)
    late = shown(START + 10 * 60 * SECOND)
    elsewhere.imports(line("1", "A", last_seen_at=late))

    told = elsewhere.imports(line("1", "A", last_seen_at=late) | changed)

    assert (told.accepted, told.refused) == (0, 1)


# --- bindings ------------------------------------------------------------------------------------


def test_an_id_that_another_document_holds_by_reply_is_refused(elsewhere: Elsewhere) -> None:
    elsewhere.stage.time.pass_(HOUR)

    told = elsewhere.imports(finished("1", A="901"), finished("2", A="901"), finished("3", B="902"))

    assert (told.accepted, told.refused) == (2, 1)
    assert elsewhere.reasons == [
        ("recorded", "901 is bound to item 1 of document 1 by reply; see which of the two is right")
    ]


def claimed_by_name(elsewhere: Elsewhere) -> str:
    """Document 1 has claimed an ad by name and time, which is no proof; the ad's id."""
    (external_id,) = elsewhere.made("A")
    elsewhere.stage.time.pass_(HOUR)
    elsewhere.imports(line("1", "A"), finished("0", Z="900"))
    document = elsewhere.recovered("1")
    assert (document.state, grades(document)) == (D.PUBLISHED, [("confirmed", "name_and_time")])
    return external_id


def test_a_claim_by_name_and_time_gives_way_to_one_by_reply(elsewhere: Elsewhere) -> None:
    external_id = claimed_by_name(elsewhere)

    told = elsewhere.imports(finished("2", A=external_id))

    assert (told.accepted, told.refused) == (1, 0)
    loser, owner = elsewhere.stage.document("1"), elsewhere.stage.document("2")
    assert (loser.state, grades(loser)) == (D.HELD, [("held", "contested")])
    assert (owner.state, grades(owner)) == (D.PUBLISHED, [("confirmed", "reply")])
    assert elsewhere.recovered("1").state is D.FAILED  # what it once claimed is another's


def test_killed_between_giving_up_and_taking_the_id_is_nobodys(elsewhere: Elsewhere) -> None:
    external_id = claimed_by_name(elsewhere)
    dying = elsewhere.stage.worker(DiesAt(effect="ledger.Anyhow", after=True)).outside

    with pytest.raises(BaseException, match=r"ledger\.Anyhow"):
        elsewhere.imports(finished("2", A=external_id), worker=dying)
    loser = elsewhere.stage.document("1")
    again = elsewhere.imports(finished("2", A=external_id))

    assert (loser.state, grades(loser)) == (D.HELD, [("held", "contested")])
    assert again.accepted == 1
    assert grades(elsewhere.stage.document("2")) == [("confirmed", "reply")]


def test_two_that_contest_one_claim_are_judged_in_their_order(elsewhere: Elsewhere) -> None:
    external_id = claimed_by_name(elsewhere)

    told = elsewhere.imports(finished("2", A=external_id), finished("3", A=external_id))

    assert (told.accepted, told.refused) == (1, 1)
    assert grades(elsewhere.stage.document("2")) == [("confirmed", "reply")]


# --- nobody's work, and what is known of the account ---------------------------------------------


def test_workers_and_sweeps_pass_imported_documents_by(elsewhere: Elsewhere) -> None:
    elsewhere.made("A")
    elsewhere.stage.time.pass_(HOUR)
    elsewhere.imports(line("1", "A"), finished("0", Z="900"))
    before = elsewhere.stage.document("1")

    swept = elsewhere.stage.time.run(sweep(elsewhere.stage.process()))
    passed = elsewhere.settle("1", imported=False)
    with pytest.raises(WrongState, match="never published"):
        elsewhere.stage.publish("1")

    assert swept.visits == ()
    assert passed.view.document == elsewhere.stage.document("1") == before
    assert elsewhere.stage.graph.creates == []


def test_a_read_that_may_settle_does(elsewhere: Elsewhere) -> None:
    elsewhere.made("A")
    elsewhere.stage.time.pass_(HOUR)
    elsewhere.imports(line("1", "A"), finished("0", Z="900"))

    assert elsewhere.settle("1", imported=True).view.document.state is D.PUBLISHED


def test_what_a_finished_one_did_not_record_is_nobodys_to_settle_and_says_so(
    elsewhere: Elsewhere,
) -> None:
    elsewhere.stage.time.pass_(HOUR)
    over = finished("1", R="901") | {"names": ["R", "S"]}
    elsewhere.imports(over)
    before = elsewhere.stage.document("1")

    view = elsewhere.settle("1").view
    refused = [
        refusal(elsewhere.stage, "1", Decision(item="2", choice=choice, reason="gone", by="ann"))
        for choice in (Choice.NONE, Choice.HOLD)
    ]

    assert view.document == elsewhere.stage.document("1") == before
    assert (before.state, grades(before)[1]) == (D.PARTLY_PUBLISHED, ("pending", None))
    assert not is_unsettled(view.document, view.now)
    assert "finished elsewhere" in shown_next(view.document, view.account, view.now).why
    assert all("nothing is to be decided" in why for why in refused), refused


def test_what_a_finished_one_did_not_record_contests_its_name(elsewhere: Elsewhere) -> None:
    elsewhere.made("S")
    elsewhere.stage.time.pass_(HOUR)
    elsewhere.imports(finished("1", R="901") | {"names": ["R", "S"]}, line("2", "S"))

    assert grades(elsewhere.recovered("2")) == [("held", Reason.CONTESTED)]


def test_told_without_its_end_what_it_did_not_record_is_looked_up(elsewhere: Elsewhere) -> None:
    elsewhere.made("S")
    elsewhere.stage.time.pass_(HOUR)
    told = finished("1", R="901") | {"names": ["R", "S"], "publish_finished_at": None}
    elsewhere.imports(told | {"worker_gone_at": shown(START + SECOND)}, finished("0", Z="900"))

    document = elsewhere.recovered("1")

    assert document.state is D.PUBLISHED
    assert grades(document)[1] == ("confirmed", Grade.NAME_AND_TIME)


def test_where_no_finished_document_is_known_nothing_is_claimed_unless_it_is_said(
    elsewhere: Elsewhere,
) -> None:
    elsewhere.made("A")
    elsewhere.stage.time.pass_(HOUR)
    elsewhere.imports(line("1", "A"))

    unknown = elsewhere.recovered("1")
    elsewhere.imports(complete=["act_1001"])
    said = elsewhere.recovered("1")

    assert grades(unknown) == [("held", "policy")]
    assert (said.state, grades(said)) == (D.PUBLISHED, [("confirmed", "name_and_time")])


def test_a_finished_document_that_recorded_no_id_does_not_count_as_known(
    elsewhere: Elsewhere,
) -> None:
    elsewhere.made("A")
    elsewhere.stage.time.pass_(HOUR)
    empty = finished("0") | {"names": ["Z"]}

    elsewhere.imports(line("1", "A"), empty)
    unknown = elsewhere.recovered("1")
    elsewhere.imports(complete=["act_1001"])

    assert grades(unknown) == [("held", "policy")]
    assert grades(elsewhere.recovered("1")) == [("confirmed", "name_and_time")]


def test_an_interrupted_import_says_nothing_of_the_whole(elsewhere: Elsewhere) -> None:
    elsewhere.stage.time.pass_(HOUR)
    dying = elsewhere.stage.worker(DiesAt(effect="ledger.admit", after=True)).outside

    with pytest.raises(BaseException, match=r"ledger\.admit"):
        elsewhere.imports(line("1", "A"), complete=["act_1001"], worker=dying)

    assert not elsewhere.stage.time.run(elsewhere.stage.ledger.is_complete("act_1001"))


def test_a_look_that_gives_no_verdict_leaves_an_old_document_as_it_was(
    elsewhere: Elsewhere,
) -> None:
    """It settled months ago; nobody looked at it meanwhile, so nothing has lasted for a day."""
    elsewhere.made("A")
    elsewhere.stage.time.pass_(timedelta(days=90))
    elsewhere.imports(line("1", "A"), finished("0", Z="900"))
    elsewhere.stage.graph.sky.blind[0] = Reason.LISTING_INCOMPLETE

    settled = elsewhere.settle("1")
    again = elsewhere.recovered("1")

    assert settled.withheld is Reason.LISTING_INCOMPLETE
    assert [item.state for item in settled.view.document.items] == [ItemState.PENDING]
    assert [item.intent.found_by for item in again.items if item.intent] == [Grade.NAME_AND_TIME]


def test_a_second_line_of_a_document_waits_behind_the_first(elsewhere: Elsewhere) -> None:
    external_id = claimed_by_name(elsewhere)

    told = elsewhere.imports(finished("2", A=external_id), line("9", "C"), line("2", "B"))

    assert (told.accepted, told.refused) == (2, 1)
    assert [item.name for item in elsewhere.stage.document("2").items] == ["A"]


def test_a_closed_account_holds_no_old_document(elsewhere: Elsewhere) -> None:
    elsewhere.stage.time.pass_(timedelta(days=90))
    elsewhere.imports(line("1", "A"), finished("0", Z="900"))
    elsewhere.stage.graph.sky.blind[0] = Reason.ACCESS
    elsewhere.settle("1")

    settled = elsewhere.settle("1")

    assert settled.withheld is Reason.ACCESS
    assert grades(settled.view.document) == [("pending", None)]


def test_a_worker_that_is_there_is_not_waited_for(elsewhere: Elsewhere) -> None:
    elsewhere.stage.time.pass_(HOUR)
    elsewhere.imports(line("1", "A"), finished("0", Z="900"))
    view = elsewhere.stage.view("1")

    step = shown_next(view.document, view.account, view.now, worker_seen=True)

    assert step.action is NextAction.RECOVER
