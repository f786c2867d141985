"""Old documents by command: imported, previewed, recovered or held, handed back."""

import csv
import io
import json
import os
import signal
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from fixtures.graph.app import FakeGraph
from tests.e2e.command_line import PROGRAM, Shell
from tests.e2e.old_documents import BEGAN, IMPORT, as_csv, file_of, finished, line, made, standing


def test_twenty_broken_documents_are_recovered_or_held_for_the_right_reason(
    shell: Shell, graph: FakeGraph
) -> None:
    late = timedelta(minutes=90)
    wanted: dict[str, tuple[str, list[str]]] = {}
    lines: list[dict[str, Any]] = []

    def old(names: list[str], state: str, items: list[str], **says: Any) -> str:
        document_id = f"old-{len(lines) + 1}"
        lines.append(line(document_id, *names, **says))
        wanted[document_id] = (state, items)
        return document_id

    by_name = "name_and_time"
    for number in range(1, 6):  # made, and not saved
        made(graph, f"one {number}")
        old([f"one {number}"], "published", [by_name])
    for number in range(1, 4):  # never made
        old([f"none {number}"], "failed", ["absent"])
    for number in range(1, 3):  # one was saved, the other was not
        saved = made(graph, f"half {number} / a")
        made(graph, f"half {number} / b")
        old(
            [f"half {number} / a", f"half {number} / b"],
            "published",
            ["reply", by_name],
            recorded=[{"name": f"half {number} / a", "external_id": saved}],
        )
    made(graph, "partly / a")
    old(["partly / a", "partly / b"], "partly_published", [by_name, "absent"])
    made(graph, "twin"), made(graph, "twin")  # interchangeable
    old(["twin", "twin"], "published", [by_name, by_name])
    made(graph, "twin less")
    old(["twin less", "twin less"], "published", [by_name, "absent"])
    made(graph, "too many"), made(graph, "too many")
    old(["too many"], "held", ["ambiguous"])
    made(graph, "shared")
    old(["shared"], "held", ["contested"])
    old(["shared"], "held", ["contested"])
    made(graph, "too late", after=late)  # a stranger's: the worker was gone
    old(["too late"], "failed", ["absent"])
    made(graph, "before", after=-timedelta(minutes=1))
    old(["before"], "failed", ["absent"])
    graph.world.archive(made(graph, "archived"))
    old(["archived"], "published", [by_name])
    healthy = made(graph, "healthy name")
    old(["healthy name"], "failed", ["absent"])  # the row of that name is a healthy document's
    wanted["old-13"] = ("partly_published", [by_name, "absent"])
    assert len(lines) == 20
    sent = len(graph.world.log)

    ran = shell.run(
        "import", file_of(shell, finished("well", **{"healthy name": healthy}), *lines), *IMPORT,
        "--json",
    )  # fmt: skip
    crashed = shell.run("list", "--state", "crashed", "--json").json
    drawn = shell.run("list", "--state", "crashed").out
    for document_id in wanted:
        assert shell.run("recover", document_id).code in (0, 3, 4)

    assert (ran.code, ran.json["accepted"]) == (0, 21)
    assert {each["next"]["action"] for each in crashed["documents"]} == {"recover"}
    assert drawn.startswith("20 crashed\n")
    assert {each: standing(shell, each) for each in wanted} == wanted
    assert standing(shell, "well") == ("published", ["reply"])
    assert len(graph.world.log) == sent, "nothing is created"
    told = shell.run("explain", "old-14")
    assert (told.code, "ambiguous" in told.out) == (0, True)


def test_a_read_recovers_unless_it_is_told_not_to(shell: Shell, graph: FakeGraph) -> None:
    made(graph, "A")
    shell.run("import", file_of(shell, line("1", "A"), finished("0", Z="900")), *IMPORT)

    left = shell.run("show", "1", "--json", RECONCILER_LEGACY_ON_READ="false")
    read = shell.run("show", "1", "--json")

    assert (left.json["state"], left.json["crashed"]) == ("publishing", True)
    assert (read.json["state"], read.json["items"][0]["found_by"]) == ("published", "name_and_time")


@pytest.mark.parametrize(
    ("evidence", "reason"), [("never", "policy"), ("provenance", "provenance")]
)
def test_the_policy_of_the_settings_holds(
    shell: Shell, graph: FakeGraph, evidence: str, reason: str
) -> None:
    made(graph, "A")
    shell.run("import", file_of(shell, line("1", "A"), finished("0", Z="900")), *IMPORT)

    ran = shell.run("recover", "1", RECONCILER_LEGACY_EVIDENCE=evidence)

    assert (ran.code, standing(shell, "1")) == (3, ("held", [reason]))


def test_no_finished_document_is_known_until_somebody_says_that_none_is_missing(
    shell: Shell, graph: FakeGraph
) -> None:
    made(graph, "A")
    file = file_of(shell, line("1", "A"))
    shell.run("import", file, *IMPORT)
    held = shell.run("recover", "1")
    shell.run("import", file, *IMPORT, "--complete-for", "1001")
    found = shell.run("recover", "1")

    assert (held.code, found.code, standing(shell, "1")) == (3, 0, ("published", ["name_and_time"]))


def test_refused_lines_stand_in_a_file_beside_the_input(shell: Shell) -> None:
    """R092: every line gets its reason, the sound ones are taken, the exit code is not zero."""
    file = file_of(shell, line("1", "A"), "nonsense", line("2"), line("3", "C"))

    ran = shell.run("import", file, *IMPORT, "--json")
    again = shell.run("import", file, *IMPORT)

    assert (ran.code, ran.json["accepted"], ran.json["refused_lines"]) == (4, 2, 2)
    assert [(one["line"], one["field"]) for one in ran.json["refused"]] == [
        (2, "line"),
        (3, "names"),
    ]
    beside = (shell.folder / ran.json["refused_file"]).read_text()
    refused = [json.loads(each) for each in beside.splitlines()]
    assert [(one["line"], one["document_id"]) for one in refused] == [(2, None), (3, "2")]
    assert refused[0]["text"] == "nonsense"
    assert again.code == 4
    assert "documents: 0 accepted, 2 unchanged; lines: 2 of 4 refused" in again.out

    mended = shell.run("import", file_of(shell, line("1", "A"), line("2", "B")), *IMPORT)
    assert mended.code == 0
    assert not (shell.folder / "old.jsonl.refused.jsonl").exists()


def test_a_preview_stores_nothing(shell: Shell) -> None:
    file = file_of(shell, line("1", "A"), finished("2", B="901"), line("3"))

    shown = shell.run("import", file, *IMPORT, "--preview")
    told = shell.run("import", file, *IMPORT, "--preview", "--json")

    assert (shown.code, told.code) == (4, 4)
    assert "document 1 of act_1001: crashed, its worker gone by" in shown.out
    assert [one.get("state") for one in told.json["documents"]] == ["publishing", "published", None]
    assert shell.run("list", "--json").json["counts"] == {}


@pytest.mark.parametrize(("documents", "more"), [(5, False), (6, True)])
def test_a_preview_says_whether_there_is_more_than_it_shows(
    shell: Shell, documents: int, more: bool
) -> None:
    many = [f"name {number}" for number in range(21)]
    file = file_of(shell, line("0", *many), *(line(str(n), "A") for n in range(1, documents)))

    shown = shell.run("import", file, *IMPORT, "--preview")
    told = shell.run("import", file, *IMPORT, "--preview", "--json").json

    assert (len(told["documents"]), told["more"]) == (5, more)
    assert ("more lines follow" in shown.out) is more
    assert "and 1 more name:" in shown.out


def test_csv_says_the_same_as_json(shell: Shell) -> None:
    lines = [line("1", 'A "x", y', "B\nC"), finished("2", B="901"), line("3", "C", last_seen_at="")]
    (shell.folder / "old.csv").write_bytes(b"\xef\xbb\xbf" + as_csv(*lines).encode())
    lines[2].pop("last_seen_at")

    first = shell.run("import", "old.csv", *IMPORT, "--json")
    again = shell.run("import", file_of(shell, *lines), *IMPORT, "--json")
    by_stdin = shell.run("import", "-", "--format", "csv", *IMPORT, stdin=as_csv(*lines))

    assert (first.code, first.json["accepted"]) == (0, 3)
    assert (again.code, again.json["unchanged"]) == (0, 3)
    assert (by_stdin.code, "0 accepted, 3 unchanged" in by_stdin.out) == (0, True)


def test_a_database_of_ones_own_is_read_by_a_query(shell: Shell) -> None:
    path = shell.folder / "theirs.db"
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as theirs:
        theirs.execute(
            text("CREATE TABLE docs (id INTEGER, account TEXT, adset INTEGER, began TEXT)")
        )
        theirs.execute(
            text("INSERT INTO docs VALUES (1, '1001', 2001, :at), (2, '1001', NULL, :at)"),
            {"at": BEGAN.isoformat()},
        )
    engine.dispose()
    query = (
        "SELECT id AS document_id, account AS account_id, 'adset' AS container_kind, "
        "adset AS container_id, 'ad' AS kind, began AS created_at, began AS publish_started_at, "
        "'[\"A\"]' AS names, '[]' AS recorded FROM docs ORDER BY id"
    )
    theirs_is = {
        "RECONCILER_LEGACY_DATABASE_URL": f"sqlite:///{path}",
        "RECONCILER_LEGACY_QUERY": query,
    }

    ran = shell.run("import", "--database", *IMPORT, "--json", **theirs_is)
    theirs_is["RECONCILER_LEGACY_QUERY"] = "DELETE FROM docs"
    writes = shell.run("import", "--database", *IMPORT, **theirs_is)
    theirs_is["RECONCILER_LEGACY_QUERY"] = query

    assert (ran.code, ran.json["accepted"], ran.json["refused_file"]) == (
        *(4, 1),
        "database.refused.jsonl",
    )
    assert ran.json["refused"][0]["field"] == "container.id"
    assert (writes.code, "error:" in writes.err) == (1, True)
    assert shell.run("import", "--database", *IMPORT, "--json", **theirs_is).json["unchanged"] == 1


SECRET = "CANARYpassword77"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        (f"postgresql+psycopg://me:{SECRET}@127.0.0.1:1/x", "cannot be run"),
        (f"nonsense+driver://me:{SECRET}@host/x", "no driver"),
        (f"::{SECRET}::", "no address"),
    ],
)
def test_a_database_that_does_not_answer_is_told_without_its_secret(
    shell: Shell, url: str, says: str
) -> None:
    theirs = {"RECONCILER_LEGACY_DATABASE_URL": url, "RECONCILER_LEGACY_QUERY": "SELECT 1"}

    ran = shell.run("import", "--database", *IMPORT, **theirs)

    assert (ran.code, says in ran.err) == (1, True), ran
    assert SECRET not in ran.out + ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("old.jsonl",), 64, "--worker-gone-before"),
        (IMPORT, 64, "name a file"),
        (("old.jsonl", "--database", *IMPORT), 64, "name a file"),
        (("old.jsonl", "--worker-gone-before", "2026-03-10T12:00:00"), 64, "with its zone"),
        (("old.jsonl", *IMPORT, "--complete-for", "x"), 64, "ad account's digits"),
        (("nowhere.jsonl", *IMPORT), 1, "cannot be read"),
        ((".", *IMPORT), 1, "cannot be read"),
        (("old.jsonl", "--worker-gone-before", "2099-01-01T00:00:00Z"), 1, "in the future"),
        (("--database", *IMPORT), 1, "are not both set"),
    ],
)
def test_what_cannot_be_done_is_said(
    shell: Shell, arguments: tuple[str, ...], code: int, says: str
) -> None:
    file_of(shell, line("1", "A"))

    ran = shell.run("import", *arguments)

    assert (ran.code, says in ran.err) == (code, True), ran


def test_everything_is_handed_back_by_item(shell: Shell, graph: FakeGraph) -> None:
    external_id = made(graph, "A, 1")
    shell.run("import", file_of(shell, line("1", "A, 1", "B"), finished("0", Z="900")), *IMPORT)
    shell.run("recover", "1")
    ours = shell.submitted("Spring / 1")

    told = shell.run("batch", "export")
    as_table = shell.run("batch", "export", "--format", "csv", "--origin", "imported")
    to_file = shell.run("batch", "export", "-o", "found.csv", "--json", "--account", "1001")
    (shell.folder / "link").symlink_to("behind")
    to_link = shell.run("batch", "export", "-o", "link")
    to_stdout = shell.run("batch", "export", "-o", "-")

    assert (told.code, as_table.code, to_file.code) == (0, 0, 0)
    items = [json.loads(each) for each in told.out.splitlines()]
    by_place = {(one["document_id"], one["item"]): one for one in items}
    found = by_place["1", "1"]
    assert (found["external_id"], found["found_by"]) == (external_id, "name_and_time")
    assert found["attributes"]["name"] == "A, 1"
    assert by_place["1", "2"]["state"] == "absent"
    assert by_place[ours, "a1"]["origin"] == "ours"
    rows = list(csv.DictReader(io.StringIO(as_table.out)))
    assert [(row["document_id"], row["item"]) for row in rows] == [
        *(("0", "1"), ("1", "1"), ("1", "2"))
    ]
    assert json.loads(rows[1]["attributes"])["id"] == external_id
    assert (to_file.json["documents"], to_file.json["items"]) == (3, 4)
    assert len((shell.folder / "found.csv").read_text().splitlines()) == 5
    assert (to_link.code, to_stdout.code, to_stdout.out) == (0, 0, told.out)
    assert (shell.folder / "link").is_symlink()
    assert (shell.folder / "behind").read_text() == told.out


def test_an_export_that_cannot_be_written_leaves_what_stood_there(shell: Shell) -> None:
    ran = shell.run("batch", "export", "-o", "nowhere/found.csv")
    both = shell.run("batch", "export", "--json")

    assert (ran.code, "cannot be written" in ran.err) == (1, True)
    assert both.code == 64


def test_stopped_anywhere_what_was_committed_stays_and_again_goes_on(shell: Shell) -> None:
    count = 3_000
    file = file_of(shell, *(line(f"{number:05d}", "A") for number in range(count)))

    importing = shell.start("import", file, *IMPORT)
    while not (kept := _stored(shell.folder)):
        assert importing.poll() is None, importing.communicate()
    importing.send_signal(signal.SIGINT)
    _, err = importing.communicate(timeout=60)
    again = shell.run("import", file, *IMPORT, "--json")

    assert importing.returncode == 130, err
    assert kept % 200 == 0
    assert "Traceback" not in err
    assert again.code == 0
    assert again.json["accepted"] + again.json["unchanged"] == count
    assert again.json["unchanged"] >= kept


def test_ctrl_c_ends_it_also_while_nothing_is_typed(shell: Shell) -> None:
    typing = subprocess.Popen(
        [PROGRAM, "import", "-", *IMPORT],
        cwd=shell.folder,
        env={**os.environ, **shell.settings},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert typing.stdin is not None
    rows = "".join(json.dumps(line(str(number), "A")) + "\n" for number in range(201))
    typing.stdin.write(rows.encode())
    typing.stdin.flush()
    while _stored(shell.folder) < 200:
        assert typing.poll() is None, typing.communicate()

    typing.send_signal(signal.SIGINT)
    _, err = typing.communicate(timeout=60)

    assert (typing.returncode, b"Traceback" in err) == (130, False), err
    # All of it where the signal came just before the read: `communicate` ends the input as well.
    assert _stored(shell.folder) in (200, 201)


def _stored(folder: Path) -> int:
    engine = create_engine(f"sqlite:///{folder / 'reconciler.db'}")
    with engine.connect() as connection:
        count: int = connection.execute(text("SELECT count(*) FROM document")).scalar_one()
    engine.dispose()
    return count


RUNNING = ("--worker-gone-before", "2020-01-01T00:00:00Z")


def test_what_may_still_run_elsewhere_is_led_to_another_import_and_from_there_to_its_end(
    shell: Shell, graph: FakeGraph
) -> None:
    """Neither a look nor a decision nor a cancel ends it before: none of them leads to another."""
    made(graph, "A")
    file = file_of(shell, line("1", "A"), finished("0", Z="900"))
    shell.run("import", file, *RUNNING)

    recovered = shell.run("recover", "1", "--json").json
    decided = [
        shell.run("resolve", "1", "1", said, "--reason", "x") for said in ("--none", "--hold")
    ]
    cancelled = shell.run("cancel", "1")

    assert recovered["next"]["command"] == "reconciler import FILE --worker-gone-before TIME"
    assert "import its line again with a later time" in recovered["next"]["why"]
    for ran in (*decided, cancelled):
        assert "reconciler import FILE --worker-gone-before TIME" in ran.err
    assert [ran.code for ran in decided] == [1, 1]
    shell.run("import", file, *IMPORT)
    shell.run("recover", "1")
    assert standing(shell, "1") == ("published", ["name_and_time"])
