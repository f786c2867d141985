"""What `doctor` asks of the API: version, narrowing, and with `--echo` whether marks return."""

import pytest

from fixtures.graph.app import FakeGraph
from tests.e2e.command_line import Ran, Shell

ECHO = ("made", "listed", "by label", "deleted")


def checks(ran: Ran) -> dict[str, dict[str, object]]:
    """By name, without the account."""
    return {each["name"].removesuffix(" act_1001"): each for each in ran.json["checks"]}


def labels(graph: FakeGraph) -> list[str]:
    return [label.name for label in graph.world.live("adlabel")]


def writes(graph: FakeGraph) -> list[tuple[str, str]]:
    return [(call.method, call.edge) for call in graph.requests if call.method != "GET"]


def test_an_echo_trial_makes_one_label_reads_it_back_and_leaves_nothing(
    shell: Shell, graph: FakeGraph
) -> None:
    ran = shell.run("doctor", "--echo", "1001", "--json")

    told = checks(ran)
    assert ran.code == 0
    assert [told[f"echo {name}"]["status"] for name in ECHO] == ["ok"] * 4
    assert writes(graph) == [("POST", "adlabels"), ("DELETE", "")]
    assert labels(graph) == []


def test_without_the_option_nothing_is_made(shell: Shell, graph: FakeGraph) -> None:
    told = checks(shell.run("doctor", "--account", "act_1001", "--json"))

    assert not any(name.startswith("echo") for name in told)
    assert writes(graph) == []


@pytest.mark.parametrize(
    ("fault", "failed", "left"),
    [
        ("validation_error:on_edge=adlabels", "made", 0),
        ("reply_lost_after_commit:on_edge=adlabels", "made", 1),
        ("error_after_commit:on_edge=adlabels", "made", 1),
        ("access_lost:method=DELETE", "deleted", 1),
    ],
)
def test_where_the_trial_fails_it_is_sent_once_and_the_label_to_delete_is_named(
    shell: Shell, graph: FakeGraph, fault: str, failed: str, left: int
) -> None:
    """An unclear answer is never asked again: it may have made one."""
    graph.faults.add(fault)

    ran = shell.run("doctor", "--echo", "act_1001", "--json", RECONCILER_CALL_TIMEOUT_SECONDS="1")

    wrong = {name for name, each in checks(ran).items() if not each["ok"]}
    assert (ran.code, wrong) == (1, {f"echo {failed}"})
    assert [method for method, _ in writes(graph)].count("POST") == 1
    assert len(labels(graph)) == left
    for name in labels(graph):
        assert name in str(checks(ran)[f"echo {failed}"]["fix"])


@pytest.mark.parametrize("account", ["act_1001", "act_999"])
def test_after_a_certain_refusal_nobody_is_sent_to_delete_a_label(
    shell: Shell, graph: FakeGraph, account: str
) -> None:
    if account == "act_1001":
        graph.faults.add("validation_error:on_edge=adlabels")

    ran = shell.run("doctor", "--echo", account, "--json")

    (made,) = [each for each in ran.json["checks"] if each["name"] == f"echo made {account}"]
    assert "code 100" in made["detail"]
    assert "delete" not in made["fix"]
    assert "see that this account exists" in made["fix"]


def test_two_accounts_cannot_be_named_at_once(shell: Shell, graph: FakeGraph) -> None:
    ran = shell.run("doctor", "--account", "act_1001", "--echo", "act_1002")

    assert ran.code == 64
    assert graph.requests == []


@pytest.mark.parametrize(
    ("setting", "fault", "said"),
    [
        ("false", None, "off: listings are read whole"),
        ("true", None, "on, and honoured by the API for campaigns"),
        ("true", "filtering_ignored", "on, but ignored by the API"),
        ("true", "filtering_refused:field=adlabels", "on, but refused"),
    ],
)
def test_the_doctor_says_whether_listings_are_narrowed(
    shell: Shell, graph: FakeGraph, setting: str, fault: str | None, said: str
) -> None:
    if fault is not None:
        graph.faults.add(fault)

    ran = shell.run("doctor", "--account", "1001", "--json", RECONCILER_NARROW_LISTINGS=setting)

    narrowing = checks(ran)["narrowing"]
    assert (ran.code, narrowing["status"]) == (0, "ok")
    assert str(narrowing["detail"]).startswith(said)


@pytest.mark.parametrize(
    ("faults", "status", "said"),
    [
        ([], "ok", "ads_management is granted"),
        (["permission"], "failed", "ads_management is declined; granted: ads_read, business_"),
        (["permission:status=expired"], "failed", "ads_management is expired; granted: ads_read"),
        (["permission:status=missing"], "failed", "ads_management is not granted; granted: ads_r"),
        (
            ["permission:of=pages_messaging,status=granted"],
            "ok",
            "ads_management is granted; broader than needed: pages_messaging",
        ),
        (
            ["limit_cap:rows=1", "empty_page:on_edge=permissions,nth=2"],
            "ok",
            "ads_management is gr",
        ),
        (
            ["limit_cap:rows=1", "permission"],
            "failed",
            "ads_management is declined; granted: ads_re",
        ),
    ],
)
def test_the_doctor_says_what_the_token_may_do(
    shell: Shell, graph: FakeGraph, faults: list[str], status: str, said: str
) -> None:
    for fault in faults:
        graph.faults.add(fault)

    ran = shell.run("doctor", "--account", "1001", "--json")

    scopes = checks(ran)["scopes"]
    assert (ran.code, scopes["status"]) == (0 if status == "ok" else 1, status)
    assert str(scopes["detail"]).startswith(said)
    assert ("make a token with ads_management" in str(scopes["fix"])) is (status == "failed")


@pytest.mark.parametrize(
    "faults",
    [
        ["page_error"],
        ["throttle"],
        ["access_lost"],
        ["connection_lost"],
        ["html_page"],
        ["odd_paging"],
        ["endless_empty_pages"],
        ["limit_cap:rows=1", "page_error:nth=2"],
    ],
)
def test_of_permissions_that_were_not_told_to_the_end_the_doctor_claims_nothing(
    bare_shell: Shell, graph: FakeGraph, faults: list[str]
) -> None:
    """What was not read may be the grant, or the refusal."""
    *standing, broken = faults
    for fault in standing:
        graph.faults.add(fault)
    graph.faults.add(broken, on_edge="permissions")

    scopes = checks(bare_shell.run("doctor", "--account", "1001", "--json"))["scopes"]

    assert (scopes["ok"], scopes["status"]) == (False, "unknown")
    assert str(scopes["detail"]).startswith("the API did not tell all permissions of the token")
    assert scopes["fix"]


@pytest.mark.parametrize("how", ["refused", "none told"])
def test_a_token_whose_permissions_nobody_tells_has_no_line(
    shell: Shell, graph: FakeGraph, how: str
) -> None:
    """As one that is no user's: the API refuses the question."""
    graph.options.permissions.clear()
    if how == "refused":
        graph.faults.add("access_lost:code=2500,on_edge=permissions")

    ran = shell.run("doctor", "--account", "1001", "--json")

    assert ran.code == 0
    assert "scopes" not in checks(ran)
