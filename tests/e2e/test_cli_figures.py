"""The figures of requests to the API, as the program counts them while it works."""

from collections import Counter

from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from adapters.observing import REGISTRY
from fixtures.graph.app import FakeGraph
from tests.e2e.command_line import Shell

TOLD = "reconciler_graph_requests_total"


def requests_told() -> Counter[str]:
    """By class, as `GET /metrics` of the service and of a worker show them."""
    families = text_string_to_metric_families(generate_latest(REGISTRY).decode())
    samples = [each for family in families for each in family.samples if each.name == TOLD]
    assert all(set(each.labels) == {"class"} for each in samples)
    return Counter({each.labels["class"]: int(each.value) for each in samples})


def test_every_request_of_a_command_is_counted_by_its_class(shell: Shell, graph: FakeGraph) -> None:
    """No account in it, and nothing that was not sent."""
    graph.faults.add("error_after_commit:nth=2")
    before = requests_told()

    ran = shell.run("publish", shell.submitted("A", "B"))

    told = requests_told() - before
    assert (ran.code, len(graph.world.live("ad"))) == (0, 2)
    assert (told["create_answered"], told["create_trouble"]) == (1, 1)
    assert told["read_answered"] == graph.count("GET")
    assert told.total() == len(graph.requests)
