"""What a person sees of an account that is nearly, or quite, used up: facts section 3."""

from datetime import datetime, timedelta

from fixtures.graph.app import FakeGraph
from tests.e2e.command_line import Shell

SLOWLY = "act_1001 has used 90 % of its allowance"


def test_a_person_is_told_that_it_goes_slowly_and_why(shell: Shell, graph: FakeGraph) -> None:
    graph.faults.add("usage:percent=90")

    told = shell.run("publish", shell.submitted("Spring / 1", "Spring / 2", "Spring / 3"), "--json")
    quiet = shell.run("--quiet", "publish", shell.submitted("Autumn / 1", "Autumn / 2"))

    assert (told.code, quiet.code) == (0, 0)
    assert told.json["state"] == "published"
    assert told.err.count(SLOWLY) == 1
    assert quiet.err == ""


def test_an_announced_block_is_waited_for_and_every_command_says_until_when(
    shell: Shell, graph: FakeGraph
) -> None:
    """The third create would have been refused; nobody sends it."""
    graph.faults.add("usage:percent=100,minutes=7", nth=2, count=1, method="POST")
    document_id = shell.submitted("Spring / 1", "Spring / 2", "Spring / 3")

    published = shell.run("publish", document_id, "--json", RECONCILER_CONCURRENCY="1")
    again = shell.run("publish", document_id, "--json")
    shown = shell.run("show", document_id)

    assert (published.code, again.code) == (5, 5)
    for ran in (published, again):
        assert ran.json["next"]["action"] == "wait"
        assert "throttled" in ran.json["next"]["why"]
        until = datetime.fromisoformat(ran.json["next"]["until"])
        left = until - datetime.now(until.tzinfo)
        assert timedelta(minutes=6) < left < timedelta(minutes=7, seconds=1)
    assert "throttled" in shown.out
    assert graph.count("POST") == 2
