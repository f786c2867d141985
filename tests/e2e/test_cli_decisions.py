"""A person decides, as typed: exit codes, what is printed, a file of decisions, and duplicates."""

import json
import time

import pytest

from fixtures.graph.app import FakeGraph
from tests.e2e.command_line import Ran, Shell

SECONDS_MAX = 60
WHY = ("--reason", "seen in Ads Manager")


def held(shell: Shell, graph: FakeGraph, name: str = "Spring / 1") -> tuple[str, str]:
    """A document that waits for a person, and the id of a colleague's ad of its name."""
    graph.faults.add("lost_before_commit")
    document_id = shell.submitted(name, file=f"{name[-1]}.json", title=name)
    shell.run("publish", document_id)
    theirs = a_colleagues(graph, name)
    deadline = time.monotonic() + SECONDS_MAX
    while shell.run("recover", document_id, "--json").json["state"] != "held":
        assert time.monotonic() < deadline, "never held"
    return document_id, theirs


def a_colleagues(graph: FakeGraph, name: str) -> str:
    """The id of an ad that somebody else makes now."""
    creative = {"creative_id": "3001"}
    return graph.world.colleague_creates("ads", name, parent_id="2001", creative=creative).id


def ads(graph: FakeGraph) -> int:
    return sum(creation.kind == "ad" for creation in graph.world.log)


def test_a_held_document_names_the_command_that_decides_it(shell: Shell, graph: FakeGraph) -> None:
    document_id, _ = held(shell, graph)

    step = shell.run("show", document_id, "--json").json["next"]

    assert step["action"] == "decide"
    assert step["command"].startswith(f"reconciler resolve {document_id} a1 --")


def test_adopting_binds_and_saying_it_again_changes_nothing(shell: Shell, graph: FakeGraph) -> None:
    document_id, theirs = held(shell, graph)

    first = shell.run("resolve", document_id, "a1", "--adopt", theirs, *WHY, "--json")
    again = shell.run("resolve", document_id, "a1", "--adopt", theirs, *WHY, "--json")

    (item,) = first.json["items"]
    assert (first.code, first.json["schema"]) == (0, "document-state/1")
    assert (first.json["state"], item["external_id"]) == ("published", theirs)
    assert item["found_by"] == "person"
    assert "recorded: adopt for a1" in first.err
    assert (again.code, again.json["items"]) == (0, first.json["items"])
    assert "nothing changed" in again.err


def test_none_lets_the_next_publish_make_it(shell: Shell, graph: FakeGraph) -> None:
    document_id, _ = held(shell, graph)

    decided = shell.run("resolve", document_id, "a1", "--none", *WHY, "--json")
    published = shell.run("publish", document_id, "--wait", "--json")

    assert (decided.code, decided.json["items"][0]["state"]) == (0, "absent")
    assert (published.code, published.json["state"]) == (0, "published")
    assert ads(graph) == 2


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--adopt", "4711", *WHY], 1, "not in the complete listing"),
        (["--adopt", "x", *WHY], 1, "digits"),
        (["--none", *WHY, "--evidence", "0" * 64], 4, "has moved"),
        (["--none"], 64, "--reason"),
        (["--none", "--reason", " "], 64, "--reason"),
        (["--none", "--reason", "\u200b"], 64, "--reason"),
        (["--none", "--reason", "TEXT"], 64, "write why in its place"),
        (["--none", "--hold", *WHY], 64, "give one of"),
        ([*WHY], 64, "give one of"),
        (["--none", *WHY, "--file", "x"], 64, "--file"),
        (["--hold", *WHY], 0, "recorded: hold for a1"),
    ],
)
def test_what_cannot_be_done_says_why(
    shell: Shell, graph: FakeGraph, arguments: list[str], code: int, says: str
) -> None:
    document_id, _ = held(shell, graph)

    ran = shell.run("resolve", document_id, "a1", *arguments)

    assert (ran.code, says in ran.err) == (code, True), ran


def test_an_item_that_the_document_has_not_is_told_as_unknown_with_those_it_has(
    shell: Shell, graph: FakeGraph
) -> None:
    document_id, _ = held(shell, graph)
    (shell.folder / "zz.jsonl").write_text(_line(document_id, "hold", item="zz"))

    ran = shell.run("resolve", document_id, "zz", "--hold", *WHY, "--json")
    told = shell.run("resolve", document_id, "zz", "--hold", *WHY)
    lines = shell.run("resolve", "--file", "zz.jsonl", "--json")

    assert (ran.code, ran.json["error"]["code"]) == (1, "unknown_item")
    assert "it has a1" in ran.json["error"]["message"]
    assert "Nothing was changed." in told.err
    assert lines.json["counts"] == {"refused": 1}


def test_a_key_that_looks_like_an_option_goes_behind_two_dashes(shell: Shell) -> None:
    ran = shell.run("resolve", "--hold", *WHY, "--json", "--", "nothing", "--none")

    assert (ran.code, ran.json["error"]["code"]) == (1, "unknown_document")


def test_an_unknown_document_is_an_error(shell: Shell) -> None:
    ran = shell.run("resolve", "nothing", "a1", "--hold", *WHY, "--json")

    assert (ran.code, ran.json["error"]["code"]) == (1, "unknown_document")


def test_a_listing_that_breaks_off_is_run_again(shell: Shell, graph: FakeGraph) -> None:
    document_id, theirs = held(shell, graph)
    graph.faults.add("page_error:count=50")

    ran = shell.run("resolve", document_id, "a1", "--adopt", theirs, *WHY, "--json")

    assert (ran.code, ran.json["state"]) == (5, "held"), ran
    assert [item["key"] for item in ran.json["items"]] == ["a1"]
    assert "not decided" in ran.err

    seen = shell.run("resolve", document_id, "a1", "--none", *WHY)

    assert (seen.code, "held (echo_unproven)" in seen.out) == (5, True), seen
    assert "not decided" in seen.err


def _line(document_id: str, decision: str, **more: object) -> str:
    line = {"document_id": document_id, "item": "a1", "decision": decision, "reason": "seen"}
    return json.dumps({**line, **more})


def test_a_file_of_decisions_goes_on_after_a_line_that_is_refused(
    shell: Shell, graph: FakeGraph
) -> None:
    first, theirs = held(shell, graph)
    second, _ = held(shell, graph, "Spring / 2")
    lines = [
        _line(first, "adopt", external_id="4711"),
        "no json",
        _line(first, "adopt"),
        _line(first, "adopt", external_id=theirs, colour="red"),
        "",
        _line(first, "adopt", external_id=theirs),
        _line(second, "hold"),
        _line("nothing", "hold"),
        _line(second, "none", reason="TEXT"),
    ]
    (shell.folder / "decisions.jsonl").write_text("\n".join(lines))

    ran = shell.run("resolve", "--file", "decisions.jsonl", "--json")
    again = shell.run("resolve", "--file", "-", "--json", stdin="\n".join(lines[5:7]))

    assert ran.code == 4
    assert ran.json["schema"] == "resolve/1"
    assert ran.json["counts"] == {"recorded": 2, "refused": 6}
    told = [(line["line"], line["result"]) for line in ran.json["lines"]]
    assert told == [
        (1, "refused"), (2, "refused"), (3, "refused"), (4, "refused"),
        (6, "recorded"), (7, "recorded"), (8, "refused"), (9, "refused"),
    ]  # fmt: skip
    said = {line["line"]: line["message"] or "" for line in ran.json["lines"]}
    assert said[2].startswith("is not JSON")
    assert said[9].startswith("TEXT stands for the reason of a decision: write why")
    assert (again.code, again.json["counts"]) == (0, {"unchanged": 2})


def test_a_csv_of_decisions_has_the_same_columns(shell: Shell, graph: FakeGraph) -> None:
    document_id, theirs = held(shell, graph)
    head = "document_id,item,decision,external_id,also,override,reason,evidence"
    lines = [
        head,
        f"{document_id},a1,adopt,{theirs},,,x,{'0' * 64}",
        f'{document_id},a1,adopt,{theirs},,true,"seen, twice",',
        f"{document_id},a1,perhaps,,,,why,",
    ]
    (shell.folder / "decisions.csv").write_text("\r\n".join(lines))

    ran = shell.run("resolve", "--file", "decisions.csv", "--json")

    results = [line["result"] for line in ran.json["lines"]]
    assert (ran.code, results) == (4, ["stale", "recorded", "refused"])
    assert "1 recorded" in shell.run("resolve", "--file", "decisions.csv").out or ran.code


def test_a_file_that_is_not_there_is_refused(shell: Shell) -> None:
    ran = shell.run("resolve", "--file", "gone.jsonl")

    assert (ran.code, "gone.jsonl cannot be read" in ran.err) == (1, True)
    assert "next:  reconciler resolve --file FILE" in ran.err


def test_each_line_that_is_refused_is_told_once(shell: Shell) -> None:
    (shell.folder / "decisions.jsonl").write_text("no json\n" * 300)

    ran = shell.run("resolve", "--file", "decisions.jsonl")

    assert (ran.code, (ran.out + ran.err).count("is not JSON")) == (4, 300)


def test_explain_tells_one_item_what_is_left_why_and_what_to_do(
    shell: Shell, graph: FakeGraph
) -> None:
    document_id, theirs = held(shell, graph)

    told = shell.run("explain", document_id, "--item", "a1", "--json").json["items"][0]
    picture = shell.run("explain", document_id, "--item", "a1").out
    narrow = shell.run("explain", document_id, COLUMNS="80").out
    unknown = shell.run("explain", document_id, "--item", "a9", "--json")

    assert (told["left"], told["lacking"], told["decisions"]) == (0, 1, [])
    assert told["commands"][1] == f"reconciler resolve {document_id} a1 --none --reason TEXT"
    assert f"? {theirs}  bears no mark" in picture
    assert "left  no rows are left of its name, 1 entity is missing" in picture
    assert max(len(line) for line in narrow.splitlines() if "$" not in line) <= 80
    assert (unknown.code, unknown.json["error"]["code"]) == (1, "unknown_item")


# --- duplicates ----------------------------------------------------------------------------------


def published_beside_two(shell: Shell, graph: FakeGraph) -> tuple[Ran, list[str]]:
    """A published ad, a colleague's of its name and a copy of it."""
    document_id = shell.submitted("Spring / 1")
    published = shell.run("publish", document_id, "--json")
    ours = published.json["items"][0]["external_id"]
    theirs = a_colleagues(graph, "Spring / 1")
    copied = graph.world.copy(ours).id
    return published, [ours, theirs, copied]


def test_duplicates_tells_ours_by_record_and_mark_from_look_alikes(
    shell: Shell, graph: FakeGraph
) -> None:
    _, (ours, theirs, copied) = published_beside_two(shell, graph)

    ran = shell.run("duplicates", "--account", "1001", "--json")
    picture = shell.run("duplicates").out

    (group,) = ran.json["groups"]
    assert (ran.code, ran.json["schema"], ran.json["complete"]) == (0, "duplicates/1", True)
    assert group["container"] == {"kind": "adset", "id": "2001"}
    assert (group["name"], group["wanted"], group["ours"]) == ("Spring / 1", 1, [ours])
    assert sorted(group["look_alikes"]) == sorted([theirs, copied])
    assert "wanted 1, 1 ours, 2 look-alikes" in picture


def test_what_is_ours_twice_needs_a_person_until_they_know_of_it(
    shell: Shell, graph: FakeGraph
) -> None:
    graph.faults.add("created_twice")
    document_id = shell.submitted("Spring / 1")
    published = shell.run("publish", document_id, "--json")
    ours = published.json["items"][0]["external_id"]

    found = shell.run("duplicates", "--json")
    (group,) = found.json["groups"]
    (extra,) = {*group["ours"]} - {ours}
    shell.run("show", document_id, "--refresh")
    known = shell.run("resolve", document_id, "a1", "--adopt", ours, "--also", extra, *WHY)

    assert (found.code, len(group["ours"])) == (3, 2)
    assert known.code == 0
    assert shell.run("duplicates", "--json").json["groups"] == []


def test_a_container_that_cannot_be_listed_is_told_and_never_as_zero(
    shell: Shell, graph: FakeGraph
) -> None:
    published_beside_two(shell, graph)
    graph.faults.add("page_error:count=50")

    ran = shell.run("duplicates", "--json")
    (lost,) = ran.json["incomplete"]

    assert (ran.code, ran.json["complete"], ran.json["walked"]) == (5, False, 0)
    assert (lost["container"]["id"], lost["kind"]) == ("2001", "ad")
