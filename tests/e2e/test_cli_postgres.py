"""The commands on a ledger in PostgreSQL: as on a file, and its password is told nobody."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import psycopg
import pytest

from fixtures.graph.app import FakeGraph
from fixtures.postgres_databases import databases_of
from fixtures.postgres_server import PASSWORD, PostgresServer, running_postgres
from tests.e2e.command_line import Shell
from tests.e2e.test_cli_worker import ads, queued, wait_until, working


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """One that loses no commits: the program takes no other."""
    with running_postgres(fsync="on") as running:
        yield running


@pytest.fixture
def shell(bare_shell: Shell, server: PostgresServer) -> Iterator[Shell]:
    """A shell whose ledger is a new database."""
    with databases_of(server.url()) as databases:
        place = {"RECONCILER_DATABASE_URL": databases.new()}
        opened = Shell(bare_shell.folder, {**bare_shell.settings, **place})
        assert opened.run("migrate").code == 0
        yield opened


def test_a_document_from_its_plan_to_the_end(shell: Shell, graph: FakeGraph) -> None:
    document_id = shell.submitted("Spring / 1", "Spring / 2")

    published = shell.run_process("publish", document_id, "--json")
    shown = shell.run("show", document_id, "--json")
    listed = shell.run("list", "--json")

    assert (published.code, published.json["state"]) == (0, "published")
    made = {item["external_id"] for item in published.json["items"]}
    assert {creation.id for creation in graph.world.log if creation.kind == "ad"} == made
    assert (shown.code, shown.json) == (0, published.json)
    assert listed.json["counts"] == {"published": 1}


def test_an_answer_that_was_lost_is_found_again(shell: Shell, graph: FakeGraph) -> None:
    graph.faults.add("reply_lost_after_commit:nth=2")
    document_id = shell.submitted("Spring / 1", "Spring / 2", "Spring / 3")

    published = shell.run("publish", document_id, "--wait", "--json")

    assert (published.code, published.json["state"]) == (0, "published")
    assert sorted(item["found_by"] for item in published.json["items"]) == [
        "mark",
        "reply",
        "reply",
    ]
    assert len([creation for creation in graph.world.log if creation.kind == "ad"]) == 3
    assert shell.run("explain", document_id).code == 0


def test_migrate_says_which_database_it_is_and_not_whose(
    shell: Shell, server: PostgresServer
) -> None:
    url = shell.settings["RECONCILER_DATABASE_URL"]
    name = url.rpartition("/")[2]
    by_parameter = url.replace(f"/{name}", f"?dbname={name}")

    ran = shell.run("migrate", RECONCILER_DATABASE_URL=by_parameter)
    as_json = shell.run("migrate", "--json", RECONCILER_DATABASE_URL=by_parameter)

    assert as_json.json["database"] == f"postgresql://127.0.0.1:{server.port}/{name}"
    assert ran.out.startswith(f"{as_json.json['database']} is ready for")


@pytest.mark.parametrize(
    ("part", "wrong", "says"),
    [
        (PASSWORD, "another", "mend user and password"),
        ("/test_", "/nowhere_", "create the database"),
        ("?", "?sslmode=require&", "mend sslmode"),
        ("?", "?sslmode=bogus&", "mend this parameter"),
        ("?", "?port=1&", "see that the server runs"),
    ],
)
def test_why_a_connection_was_refused_is_three_lines_with_its_own_next_step(
    shell: Shell, part: str, wrong: str, says: str
) -> None:
    url = shell.settings["RECONCILER_DATABASE_URL"] + "?application_name=x"

    ran = shell.run("list", RECONCILER_DATABASE_URL=url.replace(part, wrong))

    assert (ran.code, ran.out) == (1, "")
    assert [line[:7] for line in ran.err.splitlines()] == ["error: ", "       ", "next:  "]
    assert says in ran.err.splitlines()[2]
    assert "rolled back" not in ran.err
    assert "\\u0009" not in ran.err


def test_the_doctor_says_what_lasts(shell: Shell) -> None:
    checks = {check["name"]: check for check in shell.run("doctor", "--json").json["checks"]}

    assert checks["durability"]["ok"]
    assert "fsync on" in checks["durability"]["detail"]
    assert checks["failover"]["ok"]
    assert "standbys connected 0" in checks["failover"]["detail"]


def test_the_doctor_says_what_the_engine_lacks(shell: Shell) -> None:
    whole = shell.run("doctor", "--json").json["checks"][-1]
    with psycopg.connect(shell.settings["RECONCILER_DATABASE_URL"]) as owner:
        owner.execute("DROP TABLE procrastinate_periodic_defers CASCADE")
    lacking = shell.run("doctor", "--json")

    found = lacking.json["checks"][-1]
    assert (whole["name"], whole["ok"], found["name"], found["ok"]) == (
        *("engine", True),
        *("engine", False),
    )
    assert lacking.code == 1
    assert "lacks table procrastinate_periodic_defers" in found["detail"]
    assert "reconciler migrate" in found["fix"]
    assert shell.run("migrate").code == 0
    assert shell.run("doctor", "--json").json["checks"][-1]["ok"]


@pytest.fixture
def reader(shell: Shell, server: PostgresServer) -> Iterator[dict[str, str]]:
    """The settings of a user who may read the ledger and write nothing."""
    url = shell.settings["RECONCILER_DATABASE_URL"]
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("CREATE ROLE reader LOGIN PASSWORD 'reader'")
        owner.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
        yield {"RECONCILER_DATABASE_URL": url.replace(f"postgres:{PASSWORD}", "reader:reader")}
        owner.execute("DROP OWNED BY reader")
        owner.execute("DROP ROLE reader")


def test_the_doctor_tells_a_user_who_cannot_write(shell: Shell, reader: dict[str, str]) -> None:
    ran, whole = shell.run("doctor", "--json", **reader), shell.run("doctor", "--json")
    read_only = {"RECONCILER_DATABASE_URL": f"{shell.settings['RECONCILER_DATABASE_URL']}{OFF}"}

    [found] = [check for check in ran.json["checks"] if check["name"] == "rights"]
    assert (ran.code, found["ok"]) == (1, False)
    assert "lacks INSERT, UPDATE, DELETE on" in found["detail"]
    assert "owner" in found["fix"]
    assert {"name": "rights", "ok": True}.items() <= whole.json["checks"][3].items()
    [found] = [
        check
        for check in shell.run("doctor", "--json", **read_only).json["checks"]
        if check["name"] == "rights"
    ]
    assert (found["ok"], "read-only" in found["detail"]) == (False, True)


def test_workers_are_woken_by_the_engine_and_end_in_order(shell: Shell, graph: FakeGraph) -> None:
    with working(shell) as worker, working(shell, "--engine", "in-process") as other:
        worker.until_told("engine procrastinate")
        other.until_told("engine in-process")
        ids = [queued(shell, f"{n} / 1", f"{n} / 2") for n in range(4)]
        wait_until(shell, *ids)
        codes = [each.ended(signal.SIGTERM)[0] for each in (worker, other)]

    assert codes == [0, 0]
    assert ads(graph) == sorted(f"{n} / {k}" for n in range(4) for k in (1, 2))


def test_a_worker_without_the_engines_tables_says_how_to_get_them(shell: Shell) -> None:
    with psycopg.connect(shell.settings["RECONCILER_DATABASE_URL"]) as owner:
        owner.execute("DROP TABLE engine_schema")

    ran = shell.run("worker", "--json")

    assert (ran.code, ran.json["error"]["code"]) == (1, "wrong_schema")
    assert ran.json["error"]["next"].startswith("reconciler migrate")


OFF = "?options=-c%20default_transaction_read_only%3Don"


def test_a_worker_that_cannot_write_ends_with_the_reason(
    shell: Shell, reader: dict[str, str]
) -> None:
    ran = shell.run("worker", **reader)

    assert ran.code == 1
    assert "error: the database user may not do what the ledger needs: permission" in ran.err
    assert "rights of the tables' owner" in ran.err.splitlines()[-1]


def test_a_server_that_loses_commits_is_refused(shell: Shell, server: PostgresServer) -> None:
    """A1."""
    server.restart(fsync="off")
    try:
        refused = [shell.run(command, "--json") for command in ("list", "migrate")]
    finally:
        server.restart()

    for ran in refused:
        assert (ran.code, ran.json["error"]["code"]) == (1, "ledger_unavailable")
        assert "fsync off" in ran.json["error"]["message"]
    assert shell.run("list").code == 0


def test_a_crash_of_the_server_loses_nothing(shell: Shell, server: PostgresServer) -> None:
    document_id = shell.submitted("Spring / 1")
    server.stop("immediate")

    away = shell.run("show", document_id, "--json")
    server.start()

    assert (away.code, away.json["error"]["code"]) == (1, "ledger_unavailable")
    assert shell.run("show", document_id, "--json").json["state"] == "draft"


def test_after_a_failover_nothing_is_created_until_a_person_says_that_it_is_meant(
    shell: Shell, server: PostgresServer, graph: FakeGraph
) -> None:
    """A1: what the old primary acknowledged last may be missing on the new one."""
    document_id = shell.submitted("Spring / 1")
    server.fail_over()

    refused = shell.run("publish", document_id, "--json")
    accepted = shell.run("migrate", "--accept-database")
    published = shell.run("publish", document_id, "--json")

    assert (refused.code, refused.json["error"]["code"]) == (1, "foreign_ledger")
    assert "--accept-database" in refused.json["error"]["next"]
    assert (accepted.code, published.code) == (0, 0)
    assert len([made for made in graph.world.log if made.kind == "ad"]) == 1


def test_the_password_is_written_nowhere(shell: Shell, server: PostgresServer) -> None:
    """R096, in what works, what is refused, and what cannot be read."""
    url = shell.settings["RECONCILER_DATABASE_URL"]
    canary = "pass%20w0rdCANARY"
    wrong = url.replace(PASSWORD, canary)
    urls = [
        url,
        wrong,
        wrong.replace(f":{server.port}/", ":1/"),  # nobody listens there
        wrong.replace(f":{server.port}/", ":port/"),
        wrong.replace("postgresql://", "postgresql:/"),
        f"postgresql://postgres@127.0.0.1:{server.port}/nowhere?password={canary}",
        f"postgresql://postgres@127.0.0.1:{server.port}/nowhere?passwort={canary}",
    ]

    ran = [
        shell.run("-vv", command, *more, RECONCILER_DATABASE_URL=each, RECONCILER_DEBUG="1")
        for each in urls
        for command, *more in (["migrate"], ["list"], ["doctor", "--json"])
    ]

    assert {one.code for one in ran[:2]} == {0}
    assert {one.code for one in ran[3:]} == {1}
    written = [one.out + one.err for one in ran] + [str(shell.everything_written())]
    for secret in (PASSWORD, canary, canary.replace("%20", " "), "w0rdCANARY"):
        assert [text for text in written if secret in text] == []
