"""What goes wrong at the keyboard: usage, plans, ids, databases, settings; never a traceback."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import IO

import pytest

from adapters.store.sqlite import SqliteLedger
from reconciler.errors import CommitUnknown
from tests.e2e.command_line import PROGRAM, Ran, Shell


def assert_told_in_three_lines(ran: Ran, next_step: str) -> None:
    lines = ran.err.splitlines()
    assert ran.out == ""
    assert lines[-3].startswith("error: ")
    assert lines[-1] == f"next:  {next_step}"
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("arguments", "help_page"),
    [
        (("shwo", "X"), "reconciler --help"),
        (("show",), "reconciler show --help"),
        (("show", "X", "--colour"), "reconciler show --help"),
        (("list", "--state", "broken"), "reconciler list --help"),
        (("submit", "a.json", "b.json"), "reconciler submit --help"),
        (("batch", "revert", "RUN"), "reconciler batch revert --help"),
        (("batch", "revert", "RUN", "--reason", " "), "reconciler batch revert --help"),
        (("batch", "undo"), "reconciler batch --help"),
    ],
)
def test_a_command_line_that_makes_no_sense_is_64(
    bare_shell: Shell, arguments: tuple[str, ...], help_page: str
) -> None:
    ran = bare_shell.run(*arguments)

    assert ran.code == 64
    assert_told_in_three_lines(ran, help_page)


def test_a_usage_error_is_json_where_json_was_asked_for(bare_shell: Shell) -> None:
    ran = bare_shell.run("show", "--json")

    assert (ran.code, ran.err) == (64, "")
    assert ran.json["error"].keys() == {"code", "message", "next"}
    assert ran.json["error"]["code"] == "usage"


def test_no_command_at_all_shows_the_help_and_help_is_no_error(bare_shell: Shell) -> None:
    nothing, asked = bare_shell.run(), bare_shell.run("--help")

    assert (nothing.code, asked.code) == (64, 0)
    for command in ("migrate", "submit", "publish", "show", "explain", "recover", "doctor"):
        assert command in nothing.out
        assert command in asked.out


@pytest.mark.parametrize(
    ("more", "next_step"),
    [((), "reconciler submit plan.json"), (("--new",), "reconciler list")],
)
def test_where_nobody_knows_whether_a_commit_is_durable_the_next_step_is_a_command(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...], next_step: str
) -> None:
    """The same one again, for the record decides; but for the one that makes a second document."""

    async def lost(*_: object, **__: object) -> None:
        raise CommitUnknown("no answer to the commit", next_step="read again")

    monkeypatch.setattr(SqliteLedger, "submit", lost)
    ran = shell.run("submit", shell.plan("Spring / 1"), *more)

    assert ran.code == 1
    assert_told_in_three_lines(ran, next_step)


def test_a_missing_database_is_refused_and_not_made(bare_shell: Shell) -> None:
    told, as_json = bare_shell.run("list"), bare_shell.run("list", "--json")

    assert (told.code, as_json.code) == (1, 1)
    assert_told_in_three_lines(told, "reconciler migrate")
    assert as_json.json["error"]["next"] == "reconciler migrate"
    assert list(bare_shell.folder.iterdir()) == []


def test_a_copied_database_creates_nothing_until_it_is_accepted(shell: Shell) -> None:
    document_id = shell.submitted("Spring / 1")
    shutil.copy(shell.folder / "reconciler.db", shell.folder / "copy.db")
    copy = {"RECONCILER_DATABASE_URL": "sqlite:///copy.db"}

    refused = shell.run("publish", document_id, "--json", **copy)
    migrated = shell.run("migrate", "--json", **copy)
    accepted = shell.run("migrate", "--accept-database", **copy)

    assert (refused.code, refused.json["error"]["code"]) == (1, "foreign_ledger")
    assert (migrated.code, migrated.json["error"]["code"]) == (1, "foreign_ledger")
    assert "--accept-database" in refused.json["error"]["next"]
    assert accepted.code == 0
    assert shell.run("show", document_id, **copy).code == 0


def test_a_ledger_of_another_api_is_refused(shell: Shell) -> None:
    ran = shell.run("list", "--json", RECONCILER_GRAPH_URL="http://127.0.0.1:1")

    assert (ran.code, ran.json["error"]["code"]) == (1, "foreign_ledger")


@pytest.mark.parametrize("command", ["publish", "show", "explain", "recover", "cancel"])
def test_an_unknown_id_is_an_error(shell: Shell, command: str) -> None:
    ran = shell.run(command, "01NOSUCHDOCUMENT", "--json")

    assert (ran.code, ran.json["error"]["code"]) == (1, "unknown_document")
    assert ran.json["error"]["next"] == "reconciler list"


def test_all_that_is_wrong_in_a_plan_is_told_at_once(shell: Shell) -> None:
    items = [
        {"key": "a 1", "kind": "ad", "name": "A", "params": {}},
        {"key": "a2", "kind": "adz", "name": "A", "params": {"access_token": "x"}},
    ]
    plan = {"account_id": "1001", "items": items, "colour": "red"}
    (shell.folder / "bad.json").write_text(json.dumps(plan))

    told, as_json = shell.run("submit", "bad.json"), shell.run("submit", "bad.json", "--json")

    assert (told.code, as_json.code) == (1, 1)
    faults = as_json.json["error"]["errors"]
    assert {fault["field"].split(".")[-1] for fault in faults} >= {"key", "kind", "colour"}
    for fault in faults:
        assert fault["file"] == "bad.json"
        assert fault["problem"] in told.err
        assert fault["instead"] in told.err
    assert shell.run("list", "--json").json["counts"] == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not JSON at line 1"),
        ("[]", "no object"),
        ("", "is not JSON"),
    ],
)
def test_a_plan_that_cannot_be_read_says_where(shell: Shell, text: str, says: str) -> None:
    ran = shell.run("submit", "-", stdin=text)

    assert ran.code == 1
    assert "stdin" in ran.err
    assert says in ran.err


def test_a_plan_that_is_not_there_is_an_error(shell: Shell) -> None:
    ran = shell.run("submit", "nowhere.json", "--json")

    assert (ran.code, ran.json["error"]["code"]) == (1, "invalid_plan")
    assert "nowhere.json" in ran.json["error"]["message"]


def test_settings_that_cannot_keep_the_promise_are_refused_at_start(shell: Shell) -> None:
    ran = shell.run("list", RECONCILER_LEASE_SECONDS="2")

    assert ran.code == 1
    assert "A2" in ran.err
    assert "Nothing was read or sent." in ran.err


def test_a_misspelt_variable_is_named_and_stops_nothing(shell: Shell) -> None:
    ran = shell.run("list", "--json", RECONCILER_LEASE_SECOND="2")

    assert ran.code == 0
    assert ran.json["documents"] == []
    assert "RECONCILER_LEASE_SECOND is no setting and was ignored" in ran.err


def test_a_reader_who_has_seen_enough_is_no_error(shell: Shell) -> None:
    process = shell.start("list", "--json")
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=60)

    assert (process.returncode, err) == (0, "")


def test_names_from_outside_cannot_move_the_cursor(shell: Shell) -> None:
    document_id = shell.submitted("red \u001b[31m and \u202e turned", title="bell \u0007")

    shown = shell.run("show", document_id)

    assert shown.code == 0
    assert not {"\u001b", "\u202e", "\u0007"} & set(shown.out)
    assert "\\u202e" in shown.out


def test_no_colour_where_nobody_looks(shell: Shell) -> None:
    assert "\u001b" not in shell.run("show", shell.submitted("Spring / 1")).out


def test_each_error_of_a_plan_is_a_line_of_its_own(shell: Shell) -> None:
    (shell.folder / "bad.json").write_text('{"items": [], "colour": "red"}')

    *errors, safe, next_step = shell.run("submit", "bad.json").err.splitlines()

    assert len(errors) == 3
    assert all(line.startswith("error: bad.json: ") for line in errors)
    assert (safe, next_step[:5]) == ("       Nothing was stored or sent.", "next:")


@pytest.mark.parametrize("command", ["list", "doctor"])
def test_an_account_that_is_no_number_is_a_usage_error(shell: Shell, command: str) -> None:
    ran = shell.run(command, "--account", "my account")

    assert ran.code == 64
    assert "digits" in ran.err


def test_an_endless_id_is_not_repeated_in_full(shell: Shell) -> None:
    assert len(shell.run("show", "x" * 100_000, "--json").out) < 5_000


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["people", "programs"])
def test_an_output_that_cannot_be_written_is_an_error_in_three_lines(
    shell: Shell, options: tuple[str, ...]
) -> None:
    with Path("/dev/full").open("w") as full:
        code, err = run_with(shell, full, *options)

    lines = err.splitlines()
    assert code == 1
    assert len(lines) == 3
    assert "cannot be written to stdout" in lines[0]


def run_with(shell: Shell, out: IO[str], *options: str) -> tuple[int, str]:
    environment = {**os.environ, **shell.settings}
    ran = subprocess.run(
        [PROGRAM, "list", *options],
        cwd=shell.folder,
        env=environment,
        stdout=out,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stderr


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('"$0" list --json >&-', 0),
        ('"$0" submit - <&-', 1),
        ('"$0" show NOTHING 2>&-', 1),
        ('"$0" list >&- 2>&- <&-', 0),
    ],
)
def test_closed_streams_end_neither_in_a_traceback_nor_in_another_stream(
    shell: Shell, line: str, code: int
) -> None:
    ran = subprocess.run(
        ["sh", "-c", line, PROGRAM],
        cwd=shell.folder,
        env={**os.environ, **shell.settings},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ran.returncode, ran.stdout) == (code, "")
    assert "Traceback" not in ran.stderr
