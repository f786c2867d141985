"""When faults strike, and that every fault is shown to a plain HTTP client somewhere here."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from fixtures.graph import (
    FakeGraph,
    fault_named,
    names,
    parsed_fault,
)
from fixtures.graph.serve import add_fault
from tests.contract.fake_graph.fault_requests import create, made_count, page

HERE = Path(__file__).parent
FAKE = HERE.parents[2] / "fixtures" / "graph"


def test_every_fault_is_shown_in_these_files() -> None:
    files = HERE.glob("test_fake_graph_*.py")
    text = "".join(file.read_text(encoding="utf-8") for file in files)

    assert [name for name in names() if f'"{name}' not in text] == []


def facts_table() -> Iterator[tuple[str, list[str]]]:
    """Of each row what the fake does, and the texts of the tests that it names."""
    for line in (FAKE / "README.md").read_text(encoding="utf-8").splitlines():
        cells = line.split("|")
        if len(cells) == 5 and cells[3].strip() not in {"---", "shown in"}:
            files = [f"test_{name.strip()}.py" for name in cells[3].split(",")]
            yield cells[2], [(HERE / file).read_text(encoding="utf-8") for file in files]


def test_every_fault_is_told_beside_the_facts_and_shown_where_it_says() -> None:
    told = {
        name: any(f'"{name}' in text for text in texts)
        for does, texts in facts_table()
        for name in re.findall(r"`(\w+)`", does)
        if name in names()
    }

    assert [name for name in names() if name not in told] == []
    assert [name for name, is_shown in told.items() if not is_shown] == []


def test_every_fault_can_be_had_by_its_name_alone(graph: FakeGraph) -> None:
    for name in names():
        add_fault(graph, name)

    assert sorted(each.fault.name for each in graph.faults.scheduled) == names()


async def test_a_fault_strikes_the_nth_request_it_is_aimed_at(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    scheduled = graph.faults.add("html_200:nth=2,count=2")
    await page(client)
    replies = [await create(client) for _ in range(4)]

    ids = ["id" in reply.text for reply in replies]
    assert ids == [True, False, False, True]
    assert (scheduled.seen, scheduled.struck) == (4, 2)


async def test_a_fault_strikes_by_predicate_edge_or_chance(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.faults.add(fault_named("html_200"), when=lambda call: call.body["name"] == "B")
    graph.faults.add("page_error", on_edge="campaigns")
    dice = graph.faults.add("usage:chance=0.5")
    assert "id" in (await create(client)).text
    assert "id" not in (await create(client, name="B")).text
    assert (await page(client)).status_code == 200
    for _ in range(40):
        await page(client)

    assert 10 < dice.struck < 35


async def test_a_fault_that_is_written_strikes_at_the_node_it_names(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """A node is a number to the eye, and a text in a path."""
    elsewhere = graph.faults.add("page_error:on_node=1501")
    scheduled = graph.faults.add("page_error:on_node=2001")

    assert (await page(client)).status_code != 200
    assert (elsewhere.seen, scheduled.struck) == (0, 1)


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        ("html_200:on_node=9999", "on_node"),
        ("html_200:on_edge=advertisements", "on_edge"),
        ("html_200:method=POTS", "method"),
        ("html_200:on_nod=2001", "on_nod"),
        ("clock_offset:nth=2", "nth"),
    ],
)
def test_a_fault_that_could_never_strike_is_refused(
    graph: FakeGraph, fault: str, named: str
) -> None:
    with pytest.raises(ValueError, match=rf"{named}\b"):
        graph.faults.add(fault)

    assert graph.faults.scheduled == []


async def test_faults_wrap_one_another(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    graph.faults.add("reply_lost_after_commit")
    graph.faults.add("created_twice")

    with pytest.raises(httpx.RemoteProtocolError):
        await create(client)
    assert made_count(graph) == 2


def test_an_unknown_fault_or_argument_is_named() -> None:
    with pytest.raises(ValueError, match="reply_lost_after_commit"):
        parsed_fault("reply_lost")
    with pytest.raises(ValueError, match="colour"):
        parsed_fault("hang:colour=red")
