"""Lost replies, kills, signals, throttles, refusals: exit codes, and never a second entity."""

import signal
import time

import pytest

from fixtures.graph.app import FakeGraph
from tests.e2e.command_line import Ran, Shell
from tests.e2e.gate import Gate

SECONDS_MAX = 60


def ads(graph: FakeGraph) -> list[str]:
    """The names of all ads ever made, sorted."""
    return sorted(creation.name for creation in graph.world.log if creation.kind == "ad")


def states(ran: Ran) -> list[str]:
    return [item["state"] for item in ran.json["items"]]


def show_until(shell: Shell, document_id: str, *wanted: str) -> Ran:
    """Read, which is what triggers recovery, until the document is in one of these states."""
    deadline = time.monotonic() + SECONDS_MAX
    while True:
        ran = shell.run("show", document_id, "--json")
        if ran.json["state"] in wanted and not ran.json["unsettled"]:
            return ran
        assert time.monotonic() < deadline, f"still {ran.json['state']}"


def test_a_lost_reply_is_found_by_its_mark_within_the_same_command(
    shell: Shell, graph: FakeGraph
) -> None:
    graph.faults.add("reply_lost_after_commit:nth=2")
    document_id = shell.submitted("Spring / 1", "Spring / 2")

    published = shell.run("publish", document_id, "--json")
    explained = shell.run("explain", document_id, "--json").json
    picture = shell.run("explain", document_id).out

    assert published.code == 0
    assert [item["found_by"] for item in published.json["items"]] == ["reply", "mark"]
    assert ads(graph) == ["Spring / 1", "Spring / 2"]
    (found,) = explained["items"]
    assert (found["item"], found["verdict"], found["reason"]) == ("a2", "found", None)
    assert found["evidence_id"] == published.json["verdicts"][0]["evidence_id"]
    assert {
        "complete",
        "pages",
        "rows",
        "started_at",
        "ended_at",
        "clock_difference",
        "reason",
    } <= (found["listing"].keys())
    for stage in found["stages"]:
        assert {"stage", "in", "not_ours", "doubt", "examples"} <= stage.keys()
    assert f"~ FOUND {found['external_id']} by mark" in picture
    assert "listing COMPLETE" in picture


def test_what_never_arrived_is_made_once_it_is_proven_absent(
    shell: Shell, graph: FakeGraph
) -> None:
    graph.faults.add("lost_before_commit")
    document_id = shell.submitted("Spring / 1")

    once = shell.run("publish", document_id)
    shown = shell.run("show", document_id, "--no-recover", "--json")
    asked = shell.run("recover", document_id, "--json")
    waited = shell.run("publish", document_id, "--wait", "--json")

    assert once.code == 5
    assert "waiting until" in once.err
    assert (shown.code, shown.json["unsettled"], states(shown)) == (0, True, ["pending"])
    assert asked.code in (0, 5)  # 0 where the quarter of a second had passed meanwhile
    assert (waited.code, waited.json["state"]) == (0, "published")
    assert ads(graph) == ["Spring / 1"]
    assert "+ ABSENT: proven not made" in shell.run("explain", document_id).out


def test_a_dry_run_writes_nothing(shell: Shell, graph: FakeGraph) -> None:
    graph.faults.add("lost_before_commit")
    document_id = shell.submitted("Spring / 1")
    assert shell.run("publish", document_id).code == 5
    before = shell.run("show", document_id, "--no-recover", "--json").json

    ran = shell.run("recover", document_id, "--dry-run", "--json")
    dry = ran.json
    after = shell.run("show", document_id, "--no-recover", "--json").json

    assert "dry run: a1" in ran.err
    for time_alone_changes in (before, dry, after):
        del time_alone_changes["next"]
    assert dry == before
    assert after == before


@pytest.mark.parametrize("after_commit", [True, False])
def test_after_a_kill_the_next_read_takes_over_and_nothing_is_made_twice(
    shell: Shell, graph: FakeGraph, after_commit: bool
) -> None:
    gate = Gate(graph, nth=2, after_commit=after_commit)
    document_id = shell.submitted("Spring / 1", "Spring / 2")
    worker = shell.start("publish", document_id)
    gate.wait_until_reached()
    live = shell.run("show", document_id, "--json")
    second = shell.run("publish", document_id)
    worker.kill()
    worker.communicate()
    gate.open()

    settled = show_until(shell, document_id, "published", "queued")
    finished = shell.run("publish", document_id, "--wait", "--json")

    assert (live.code, live.json["state"], live.json["crashed"]) == (0, "publishing", False)
    assert live.json["next"]["action"] == "wait"
    assert second.code == 5
    assert settled.json["attempts"][0]["outcome"] == "orphaned"
    assert (finished.code, finished.json["state"]) == (0, "published")
    assert ads(graph) == ["Spring / 1", "Spring / 2"]
    assert finished.json["surplus"] == []


@pytest.mark.parametrize(("by", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_lets_the_call_in_flight_end_and_saves_it(
    shell: Shell, graph: FakeGraph, by: signal.Signals, code: int
) -> None:
    """R013: no further create starts, and the exit code is neither success nor a refusal."""
    gate = Gate(graph, nth=1)
    document_id = shell.submitted("Spring / 1", "Spring / 2")
    worker = shell.start("publish", document_id)
    gate.wait_until_reached()
    worker.send_signal(by)
    assert worker.stderr is not None
    assert "stopping" in worker.stderr.readline()
    gate.open()
    _, told = worker.communicate(timeout=SECONDS_MAX)
    state = shell.run("show", document_id, "--json")

    assert worker.returncode == code
    assert f"go on with: reconciler publish {document_id}" in told
    assert states(state) == ["confirmed", "waiting"]
    assert state.json["attempts"][0]["outcome"] == "handed_back"
    assert shell.run("publish", document_id).code == 0
    assert ads(graph) == ["Spring / 1", "Spring / 2"]


def test_a_second_signal_stops_at_once(shell: Shell, graph: FakeGraph) -> None:
    gate = Gate(graph)
    document_id = shell.submitted("Spring / 1")
    worker = shell.start("publish", document_id)
    gate.wait_until_reached()
    worker.send_signal(signal.SIGINT)
    assert worker.stderr is not None
    worker.stderr.readline()
    worker.send_signal(signal.SIGINT)
    _, told = worker.communicate(timeout=SECONDS_MAX)
    gate.open()

    assert worker.returncode == 130
    assert "stopped at once" in told
    assert shell.run("show", document_id, "--json").json["state"] == "publishing"


def test_a_cancel_while_a_call_is_in_flight_is_recorded_and_honoured(
    shell: Shell, graph: FakeGraph
) -> None:
    gate = Gate(graph)
    document_id = shell.submitted("Spring / 1", "Spring / 2")
    worker = shell.start("publish", document_id, "--json")
    gate.wait_until_reached()
    recorded = shell.run("cancel", document_id, "--json")
    gate.open()
    worker.communicate(timeout=SECONDS_MAX)
    after = shell.run("show", document_id, "--json")

    assert (recorded.code, recorded.json["cancel_requested"]) == (5, True)
    assert worker.returncode == 4
    assert (after.json["state"], states(after)) == ("cancelled", ["confirmed", "waiting"])
    assert ads(graph) == ["Spring / 1"]


def test_a_cancel_of_what_nobody_is_at_says_which_look_honours_it(
    shell: Shell, graph: FakeGraph
) -> None:
    gate = Gate(graph, after_commit=True)
    document_id = shell.submitted("Spring / 1", "Spring / 2")
    killed = shell.start("publish", document_id)
    gate.wait_until_reached()
    meanwhile = shell.run("cancel", document_id)
    killed.kill()
    killed.communicate(timeout=SECONDS_MAX)
    gate.open()
    show_crashed(shell, document_id)
    recorded = shell.run("cancel", document_id)
    looked = shell.run("recover", document_id, "--json")

    published = "or leaves it published where everything turns out to exist"
    assert f"once what is under way ends, that cancels it, {published}" in meanwhile.err
    assert recorded.code == 5
    look = f"the look that leaves nothing open cancels it, {published}"
    assert f"{look}: reconciler recover {document_id}" in recorded.err
    assert looked.json["state"] == "cancelled"
    assert ads(graph) == ["Spring / 1"]


def show_crashed(shell: Shell, document_id: str) -> None:
    """Return once its lease has ended; nothing is taken over by this."""
    deadline = time.monotonic() + SECONDS_MAX
    while not shell.run("show", document_id, "--no-recover", "--json").json["crashed"]:
        assert time.monotonic() < deadline, "still running"


def test_a_refused_input_is_mended_by_the_next_revision(shell: Shell, graph: FakeGraph) -> None:
    graph.faults.add("validation_error:nth=2")
    plan = shell.plan("Spring / 1", "Spring / 2")
    document_id = shell.run("submit", plan, "--key", "spring", "--json").json["document_id"]

    refused = shell.run("publish", document_id, "--json")
    plan = shell.plan("Spring / 1", "Spring / two")
    mended = shell.run("submit", plan, "--key", "spring", "--publish", "--json")
    published = shell.run("publish", document_id, "--json")

    assert (refused.code, refused.json["state"]) == (4, "partly_published")
    assert refused.json["next"]["command"] == "reconciler submit PLAN.json --key spring"
    assert refused.json["items"][1]["error"]
    assert (mended.code, published.code) == (0, 0)
    assert ads(graph) == ["Spring / 1", "Spring / two"]


def test_a_look_that_is_throttled_gives_no_verdict_and_says_so(
    shell: Shell, graph: FakeGraph
) -> None:
    graph.faults.add("lost_before_commit")
    document_id = shell.submitted("Spring / 1")
    assert shell.run("publish", document_id).code == 5
    graph.faults.add("throttle:method=GET,count=100")

    asked = shell.run("recover", document_id, "--json")
    shown = shell.run("show", document_id)
    explained = shell.run("explain", document_id)

    assert (asked.code, asked.json["unsettled"]) == (5, True)
    assert "no verdict: throttled" in asked.err
    assert shown.code in (0, 5)  # 5 where its next look was due again
    assert "listing INCOMPLETE   throttled: no verdict" in explained.out
    assert "not judged" in explained.out


def test_a_lost_access_waits_for_another_token(shell: Shell, graph: FakeGraph) -> None:
    refused = "EAACANARYexpired"
    document_id = shell.submitted("Spring / 1", "Spring / 2")

    first = shell.run("publish", document_id, "--wait", "--json", RECONCILER_GRAPH_TOKEN=refused)
    renewed = shell.run("show", document_id, "--no-recover", "--json")
    listed = shell.run("list", "--json")
    second = shell.run("publish", document_id, "--wait", "--json")

    assert first.code == 5
    assert first.json["next"]["action"] == "rotate_token"
    assert first.json["next"]["command"] == "reconciler doctor"
    assert renewed.json["next"]["action"] != "rotate_token"
    assert listed.json["documents"][0]["next"]["action"] != "rotate_token"
    assert (second.code, second.json["state"]) == (0, "published")
    assert ads(graph) == ["Spring / 1", "Spring / 2"]


def test_a_throttled_look_inside_an_attempt_says_until_when(shell: Shell, graph: FakeGraph) -> None:
    graph.faults.add("lost_before_commit")
    graph.faults.add("throttle:method=GET,count=100")
    document_id = shell.submitted("Spring / 1")

    ran = shell.run("publish", document_id, "--json")

    assert (ran.code, ran.json["next"]["action"]) == (5, "wait")
    assert "throttled" in ran.json["next"]["why"]
    assert ran.json["next"]["until"]


def test_a_surplus_is_printed_by_the_command_that_next_names(
    shell: Shell, graph: FakeGraph
) -> None:
    graph.faults.add("created_twice")
    document_id = shell.submitted("Spring / 1")
    assert shell.run("publish", document_id).code == 0

    refreshed = shell.run("show", document_id, "--refresh", "--json").json
    _, *arguments = refreshed["next"]["command"].split()
    shown = shell.run(*arguments)

    assert refreshed["next"]["action"] == "decide"
    (extra,) = refreshed["surplus"]
    assert f"! {extra['external_id']}" in shown.out
    assert "yours to delete" in " ".join(shown.out.split())
