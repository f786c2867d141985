"""The way without trouble: migrate, submit, publish, show, explain, list, cancel, doctor."""

import json

import pytest

from fixtures.graph.app import FakeGraph
from tests.e2e.command_line import Shell


def test_a_document_from_its_plan_to_the_end(shell: Shell, graph: FakeGraph) -> None:
    # Accepted: stored, nothing sent.
    accepted = shell.run("submit", shell.plan("Spring / 1", "Spring / 2"), "--json")
    state = accepted.json
    document_id = state["document_id"]
    assert (accepted.code, state["schema"], state["state"]) == (0, "document-state/1", "draft")
    assert state["next"]["command"] == f"reconciler publish {document_id}"
    assert graph.requests == []

    # Published: each item once, every id known by its reply.
    published = shell.run("publish", document_id, "--json")
    assert (published.code, published.json["state"]) == (0, "published")
    assert {item["found_by"] for item in published.json["items"]} == {"reply"}
    made = {item["external_id"] for item in published.json["items"]}
    assert {creation.id for creation in graph.world.log if creation.kind == "ad"} == made

    # Nothing more to do, however often it is asked; reading asks the API nothing.
    asked = len(graph.requests)
    assert shell.run("publish", document_id).code == 0
    shown = shell.run("show", document_id, "--json")
    assert (shown.code, shown.json) == (0, published.json)
    assert shell.run("recover", document_id).code == 0
    assert len(graph.requests) == asked

    # Too late to cancel.
    refused = shell.run("cancel", document_id, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "wrong_state")

    # Nothing to explain.
    explained = shell.run("explain", document_id, "--json")
    assert (explained.code, explained.json["schema"]) == (0, "explain/1")
    assert (explained.json["document_id"], explained.json["items"]) == (document_id, [])


def test_what_people_see(shell: Shell) -> None:
    document_id = shell.submitted("Spring / 1", title="The spring campaign")

    published = shell.run("publish", document_id)
    listed = shell.run("list")
    explained = shell.run("explain", document_id)

    assert published.code == listed.code == explained.code == 0
    assert f"document  {document_id}  The spring campaign" in published.out
    assert "=  a1   ad    Spring / 1  confirmed" in published.out
    assert listed.out.startswith("1 published\n")
    assert "never looked up: 1 confirmed by reply" in explained.out


def test_a_list_is_narrowed_by_kind_and_verdict(shell: Shell) -> None:
    document_id = shell.submitted("Spring / 1")

    by_kind = shell.run("list", "--kind", "ad", "--account", "1001", "--json").json
    other_kind = shell.run("list", "--kind", "campaign", "--json").json
    by_verdict = shell.run("list", "--verdict", "found")

    assert [one["document_id"] for one in by_kind["documents"]] == [document_id]
    assert (by_kind["counts"], other_kind["counts"]) == ({"draft": 1}, {})
    assert (by_verdict.code, by_verdict.out.startswith("no such documents")) == (0, True)


def test_the_same_plan_is_the_same_document_unless_new_is_said(shell: Shell) -> None:
    plan = shell.plan("Spring / 1")
    first = shell.run("submit", plan, "--json").json
    again = shell.run("submit", plan, "--json")
    once_more = shell.run("submit", plan, "--new", "--json").json
    by_stdin = shell.run("submit", "-", "--json", stdin=(shell.folder / plan).read_text()).json

    assert (again.code, again.json) == (0, first)
    assert by_stdin["document_id"] == first["document_id"]
    assert once_more["document_id"] != first["document_id"]
    assert "this plan is known" in again.err


def test_a_key_names_a_document_and_a_changed_plan_is_its_next_revision(shell: Shell) -> None:
    first = shell.run("submit", shell.plan("Spring / 1"), "--key", "spring", "--json").json
    second = shell.run("submit", shell.plan("Spring / 2"), "--key", "spring", "--json").json

    assert second["document_id"] == first["document_id"]
    assert (first["revision"], second["revision"]) == (1, 2)
    assert second["items"][0]["name"] == "Spring / 2"


def test_submit_and_publish_in_one_only_queues(shell: Shell, graph: FakeGraph) -> None:
    queued = shell.run("submit", shell.plan("Spring / 1"), "--publish", "--json")

    assert (queued.code, queued.json["state"]) == (0, "queued")
    assert graph.requests == []

    cancelled = shell.run("cancel", queued.json["document_id"], "--json")
    assert (cancelled.code, cancelled.json["state"]) == (0, "cancelled")
    refused = shell.run("publish", queued.json["document_id"])
    assert refused.code == 1
    assert graph.requests == []


def test_a_list_begins_with_its_counts_and_can_be_narrowed(shell: Shell) -> None:
    first, second = shell.submitted("Spring / 1"), shell.submitted("Spring / 2")
    assert shell.run("publish", second).code == 0

    listed = shell.run("list", "--json").json
    drafts = shell.run("list", "--state", "draft", "--account", "1001", "--json").json
    others = shell.run("list", "--account", "act_1002", "--json").json

    assert list(listed)[:2] == ["schema", "counts"]
    assert listed["counts"] == {"draft": 1, "published": 1}
    assert [line["document_id"] for line in listed["documents"]] == [second, first]
    assert [line["document_id"] for line in drafts["documents"]] == [first]
    assert (others["counts"], others["documents"]) == ({}, [])


def test_the_doctor_has_a_line_for_each_check(shell: Shell, graph: FakeGraph) -> None:
    early = shell.run("doctor", "--json")
    shell.submitted("Spring / 1")
    told = shell.run("doctor", "--json")
    shown = shell.run("doctor")

    assert (early.code, told.code, shown.code) == (0, 0, 0)
    assert all(check.keys() >= {"name", "ok", "detail", "fix"} for check in told.json["checks"])
    names = [check["name"].split()[0] for check in told.json["checks"]]
    assert names == [
        *("variables", "settings", "ledger", "durability", "failover"),
        *("address", "access", "clock", "version", "scopes", "labels", "narrowing"),
    ]
    durability = next(c for c in told.json["checks"] if c["name"] == "durability")
    assert durability["detail"] == "A1: journal_mode wal, synchronous FULL"
    assert len(shown.out.splitlines()) == len(names)
    assert {request.method for request in graph.requests} == {"GET"}


def test_the_doctor_names_what_is_wrong(bare_shell: Shell, graph: FakeGraph) -> None:
    graph.faults.add("clock_offset:seconds=120")
    ran = bare_shell.run(*("doctor", "--account", "1001", "--json"), RECONCILER_LEASE_SECOND="10")

    wrong = {check["name"]: check for check in ran.json["checks"] if not check["ok"]}
    assert ran.code == 1
    assert wrong.keys() == {"variables", "ledger", "clock act_1001"}
    assert wrong["ledger"]["fix"] == "reconciler migrate"
    assert "did you mean RECONCILER_LEASE_SECONDS?" in wrong["variables"]["detail"]


@pytest.mark.parametrize(
    ("count", "status"), [(0, "ok"), (79_999, "ok"), (80_000, "failed"), ("many", "unknown")]
)
def test_the_doctor_warns_before_an_account_runs_out_of_labels(
    shell: Shell, graph: FakeGraph, count: int | str, status: str
) -> None:
    """Facts 4.24: a document takes one of 100,000."""
    graph.faults.add(f"odd_summary:total={count}")

    ran = shell.run("doctor", "--account", "act_1001", "--json")

    labels = next(check for check in ran.json["checks"] if check["name"] == "labels act_1001")
    assert (labels["status"], ran.code) == (status, int(status != "ok"))
    assert (labels["fix"] is None) == (status == "ok")


def test_a_token_that_is_refused_is_found_by_the_doctor(shell: Shell) -> None:
    ran = shell.run(
        *("doctor", "--account", "act_1001", "--json"),
        RECONCILER_GRAPH_TOKEN__act_1001="EAACANARYrefused",
    )

    access = next(check for check in ran.json["checks"] if check["name"].startswith("access"))
    assert (ran.code, access["ok"]) == (1, False)
    assert "190" in access["detail"]
    assert "EAACANARY" not in json.dumps(ran.json)


def test_where_the_api_is_down_the_clock_is_unknown_and_not_ok(shell: Shell) -> None:
    nowhere = {"RECONCILER_GRAPH_URL": "http://127.0.0.1:1"}
    asked = ("doctor", "--account", "act_1001")

    told, shown = shell.run(*asked, "--json", **nowhere), shell.run(*asked, **nowhere)

    clock = next(check for check in told.json["checks"] if check["name"].startswith("clock"))
    assert (told.code, clock["ok"], clock["status"]) == (1, False, "unknown")
    assert clock["fix"]
    assert "\n--    clock act_1001" in shown.out


def test_a_plain_address_that_is_not_this_machine_is_said(bare_shell: Shell) -> None:
    plain = {"RECONCILER_GRAPH_URL": "http://graph.invalid"}

    told = bare_shell.run("doctor", "--json", **plain).json
    migrated = bare_shell.run("migrate", "--json", **plain)

    address = next(check for check in told["checks"] if check["name"] == "address")
    assert (address["ok"], "plain http" in address["detail"]) == (False, True)
    assert "plain http" in migrated.err
    assert migrated.json["schema"] == "migrate/1"
