"""Many at once by command: planned, applied, killed on the way, reported, taken back."""

import csv
import json
import signal
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from fixtures.graph.app import FakeGraph
from tests.e2e.command_line import Shell
from tests.e2e.old_documents import BEGAN, IMPORT, file_of, finished, line, made

PLAN = ("batch", "plan", "-o", "p.jsonl")
APPLY = ("batch", "apply", "p.jsonl", "--max-share", "1")


def imported(shell: Shell, graph: FakeGraph, *lines: dict[str, Any]) -> None:
    """A healthy document and these."""
    healthy = made(graph, "healthy")
    ran = shell.run("import", file_of(shell, finished("well", healthy=healthy), *lines), *IMPORT)
    assert ran.code == 0, ran


def three(shell: Shell, graph: FakeGraph) -> str:
    """One made, one never made, two who share a name. The id of the first."""
    found = made(graph, "A")
    made(graph, "shared")
    imported(
        shell,
        graph,
        line("d1", "A"),
        line("d2", "none"),
        *(line(d, "shared") for d in ("d3", "d4")),
    )
    return found


def states(shell: Shell) -> dict[str, str]:
    """Every document's state."""
    listed = shell.run("list", "--json").json["documents"]
    return {one["document_id"]: one["state"] for one in listed}


def dump(shell: Shell) -> list[str]:
    """Everything the ledger holds."""
    with closing(sqlite3.connect(shell.folder / "reconciler.db")) as connection:
        return list(connection.iterdump())


def test_a_plan_is_made_applied_and_taken_back(shell: Shell, graph: FakeGraph) -> None:
    found = three(shell, graph)
    before = dump(shell)

    planned = shell.run(*PLAN, "--json")

    assert planned.code == 0, planned
    assert planned.json["counts"] == {
        "found": 1, "absent": 1, "inconclusive": 2, "nothing": 0, "stale": 0, "error": 0
    }  # fmt: skip
    assert planned.json["listed"]["walked_twice"] == 1
    assert [one["after"] for one in planned.json["documents"]] == [
        "published", "failed", "held", "held"
    ]  # fmt: skip
    assert dump(shell) == before, "a plan writes nothing"

    applied = shell.run(*APPLY, "--json")

    assert applied.code == 3, applied
    assert applied.json["counts"]["found"] == 1
    assert applied.json["states"] == {"failed": 1, "held": 2, "published": 1}
    shown = shell.run("show", "d1", "--json").json["items"][0]
    assert (shown["external_id"], shown["found_by"]) == (found, "name_and_time")
    assert shell.run("explain", "d1").code == 0
    before = dump(shell)
    again = shell.run(*APPLY, "--json")
    assert (again.code, again.json["results"]) == (0, {"before": 4})
    assert dump(shell) == before, "a second apply writes nothing"

    run = applied.json["run"]
    back = shell.run("batch", "revert", run, "--reason", "wrong file", "--json")

    assert (back.code, back.json["results"]) == (3, {"changed": 1, "nothing": 3})
    assert states(shell)["d1"] == "held"
    assert "bind it again: reconciler recover ID" in back.json["note"]
    assert f"1 is held: a person took {found} back with batch revert {run}" in (
        shell.run("show", "d1", "--json").err
    )
    twice = shell.run("batch", "revert", run, "--reason", "wrong file")
    assert (twice.code, back.json["note"] in " ".join(twice.out.split())) == (0, True)
    assert shell.run("batch", "revert", "nobody", "--reason", "wrong file").code == 1
    assert [entry for entry in graph.world.log if entry.actor == "us"] == []


def test_with_the_activity_log_what_another_app_made_is_not_claimed(
    shell: Shell, graph: FakeGraph
) -> None:
    three(shell, graph)
    at = BEGAN + timedelta(minutes=5)
    graph.world.log[:] = [replace(one, committed_at=at) for one in graph.world.log]
    ours = {"RECONCILER_APP_ID": "77001"}

    planned = shell.run(*PLAN, "--json", **ours)

    assert planned.json["log"] == {"pages": 1, "told": 3, "unread": 0, "beyond": 0}
    assert (planned.json["counts"]["found"], planned.json["counts"]["absent"]) == (0, 4)
    told = shell.run("batch", "plan", **ours).out
    assert "activity log: 1 pages asked for, about 3 documents" in told
    refused = shell.run(*APPLY, "--json")
    assert "other settings: app_id" in refused.json["error"]["message"]
    assert shell.run(*APPLY, "--json", **ours).json["states"] == {"failed": 4}


def test_the_exit_codes_of_a_plan(shell: Shell, graph: FakeGraph) -> None:
    assert shell.run("batch", "plan", "--detailed-exitcode").code == 0
    three(shell, graph)

    assert shell.run("batch", "plan").code == 0
    assert shell.run("batch", "plan", "--detailed-exitcode").code == 2
    graph.faults.add("page_error:count=50")
    withheld = shell.run("batch", "plan", "--detailed-exitcode", "--json")
    assert (withheld.code, withheld.json["reasons"]) == (5, {"listing_incomplete": 4})


def test_a_plan_for_people_shows_random_recoveries_with_their_evidence(
    shell: Shell, graph: FakeGraph
) -> None:
    found = three(shell, graph)

    ran = shell.run("batch", "plan", "--examples", "20", "--seed", "7")

    assert ran.code == 0, ran
    assert "4 documents judged, 4 would change" in ran.out
    assert f"item 1 “A” is {found}" in ran.out
    assert "known by name_and_time; created" in ran.out
    assert "1 of 1 recoveries, chosen with --seed 7" in ran.out
    assert "reconciler batch plan -o PLAN" in ran.out


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (lambda text: text.replace('"epoch":1', '"epoch":2', 1), "altered or cut off"),
        (lambda text: text.rsplit("\n", 2)[0] + "\n", "altered or cut off"),
        (lambda text: text.replace('"changes":4', '"changes":3', 1), "altered or cut off"),
        (lambda _: "", "no plan of ours"),
        (lambda _: '{"schema":"plan/1"}\n', "batch-plan/3"),
    ],
)
def test_a_plan_that_was_edited_is_refused(
    shell: Shell, graph: FakeGraph, harm: Any, says: str
) -> None:
    three(shell, graph)
    assert shell.run(*PLAN).code == 0
    plan = shell.folder / "p.jsonl"
    plan.write_text(harm(plan.read_text()))
    before = dump(shell)

    ran = shell.run(*APPLY, "--json")

    assert ran.code == 1
    assert ran.json["error"]["code"] == "plan_refused"
    assert says in ran.json["error"]["message"]
    assert dump(shell) == before


def test_a_plan_that_is_not_there_or_cannot_be_written_is_said(shell: Shell) -> None:
    assert shell.run(*APPLY, "--json").json["error"]["code"] == "plan_refused"
    assert shell.run("batch", "plan", "-o", "no/such/folder").code == 1
    assert shell.run("batch", "revert", "r").code == 64
    assert shell.run("batch", "revert", "r", "--reason", " \u200b").code == 64
    assert shell.run("batch", "revert", "r", "--reason", "TEXT").code == 64


def test_a_share_that_is_too_large_is_refused(shell: Shell, graph: FakeGraph) -> None:
    three(shell, graph)
    assert shell.run(*PLAN).code == 0

    ran = shell.run("batch", "apply", "p.jsonl", "--max-share", "0.1", "--json")

    assert ran.code == 1
    assert "1 of its 5 documents" in ran.json["error"]["message"]
    told = shell.run("batch", "apply", "p.jsonl", "--max-share", "0.1").err.splitlines()
    assert told[1].strip() == "Nothing was changed."
    assert shell.run("batch", "apply", "p.jsonl", "--max-share", "2").code == 64


def test_what_was_recovered_since_is_stale_and_told_with_its_name(
    shell: Shell, graph: FakeGraph
) -> None:
    three(shell, graph)
    assert shell.run(*PLAN).code == 0
    shell.run("recover", "d1")

    ran = shell.run(*APPLY)

    assert ran.code == 4
    assert "stale  1: it moved since it was judged" in ran.out
    assert "  d1" in ran.out


class Page(HTMLParser):
    """Which tags a page has, and what it would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loads += [str(value) for name, value in attrs if name in ("src", "href", "srcset")]


def test_the_reports_say_the_same_and_take_names_from_outside_as_text(
    shell: Shell, graph: FakeGraph
) -> None:
    evil = "=<script>alert(1)</script>&"
    made(graph, "A")
    imported(shell, graph, line(evil, "A"), line("d2", "B"))
    assert shell.run(*PLAN).code == 0
    assert shell.run("recover", evil).code == 0

    ran = shell.run(*APPLY, "--csv", "r.csv", "--html", "r.html", "--json")

    assert ran.code == 4
    with (shell.folder / "r.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["document_id"], row["result"]) for row in rows] == [
        ("d2", "changed"), (f"'{evil}", "stale")
    ] or [(row["document_id"], row["result"]) for row in rows] == [
        (f"'{evil}", "stale"), ("d2", "changed")
    ]  # fmt: skip
    text = (shell.folder / "r.html").read_text()
    page = Page(text)
    assert "script" not in page.tags
    assert page.loads == []
    assert "&lt;script&gt;" in text
    picture = ET.fromstring(text[text.index("<svg") : text.index("</svg>") + 6])
    words = [element.text or "" for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert words[0::2][:4] == ["bound", "container", "mark", "copy"]
    assert {"found", "absent", "inconclusive"} <= set(words)
    assert str(ran.json["run"]) in text


def test_a_killed_apply_goes_on_where_it_stopped(shell: Shell, graph: FakeGraph) -> None:
    names = [f"n{number}" for number in range(60)]
    for name in names[::2]:
        made(graph, name)
    imported(shell, graph, *(line(f"d{name}", name) for name in names))
    assert shell.run(*PLAN).code == 0
    kills = 0
    for _ in range(3):
        applying = shell.start(*APPLY)
        _wait_for_more(shell)
        applying.send_signal(signal.SIGKILL)
        applying.communicate(timeout=100)
        kills += applying.returncode == -signal.SIGKILL

    ran = shell.run(*APPLY, "--json")

    assert kills, "none was killed on its way"
    assert ran.code == 0, ran
    assert ran.json["counts"]["stale"] == ran.json["counts"]["error"] == 0
    results = ran.json["results"]
    assert results.get("before", 0) > 0
    assert sum(results.values()) == 60
    wanted = {f"dn{number}": "failed" if number % 2 else "published" for number in range(60)}
    assert states(shell) == wanted | {"well": "published"}


def _wait_for_more(shell: Shell) -> None:
    """Until some more documents are done, or all are."""
    before, until = _done(shell), time.monotonic() + 30
    while _done(shell) in (before, -1) and before < 60 and time.monotonic() < until:
        pass


def _done(shell: Shell) -> int:
    with closing(sqlite3.connect(shell.folder / "reconciler.db", timeout=10)) as connection:
        return int(connection.execute("SELECT count(*) FROM batch_change").fetchone()[0])


def test_two_applies_at_once_bind_nothing_twice(shell: Shell, graph: FakeGraph) -> None:
    names = [f"n{number}" for number in range(40)]
    for name in names:
        made(graph, name)
    imported(shell, graph, *(line(f"d{name}", name) for name in names))
    assert shell.run(*PLAN).code == 0

    both = [shell.start(*APPLY, "--json") for _ in range(2)]
    told = [one.communicate(timeout=100) for one in both]

    assert [one.returncode for one in both] == [0, 0], told
    results = [json.loads(out)["results"] for out, _ in told]
    assert sum(one.get("changed", 0) for one in results) == 40
    assert sum(one.get("before", 0) for one in results) == 40
    assert set(states(shell).values()) == {"published"}
