"""What goes over the wire: addresses, headers, forms, and what is refused before it."""

import hashlib
import hmac
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from pydantic import SecretStr

from adapters.graph.form import NEVER_SENT, form_body
from adapters.graph.paths import FIELDS, STATUSES, Endpoint, Unsendable, account_path, children_edge
from adapters.graph.redaction import Redaction
from adapters.graph.requests import Requests
from adapters.graph.tokens import Keyring, Tokens
from reconciler.call_outcome import CreateRequest
from reconciler.errors import InvalidSettings
from reconciler.listing import Statuses, WalkRequest
from reconciler.model import Container, ContainerKind, Kind


def requests(
    token: str | None = "TESTTOKEN123",
    app_secret: str | None = None,
    url: str = "https://graph.facebook.com",
) -> Requests:
    secret = SecretStr(token) if token is not None else None
    app = SecretStr(app_secret) if app_secret is not None else None
    keyring = Keyring(Tokens(default=secret), app, Redaction())
    return Requests(Endpoint(url, "v26.0"), keyring)


def walk_request(
    kind: Kind,
    container: ContainerKind = ContainerKind.ACCOUNT,
    container_id: str = "act_1001",
    statuses: Statuses = Statuses.EVERY_STATUS,
) -> WalkRequest:
    return WalkRequest(
        account_id="act_1001",
        container=Container(kind=container, id=container_id),
        kind=kind,
        statuses=statuses,
    )


@pytest.mark.parametrize("account_id", ["1000000000000001", "act_1000000000000001"])
@pytest.mark.parametrize("kind", Kind)
def test_a_create_is_a_post_to_the_accounts_edge(account_id: str, kind: Kind) -> None:
    """R046: both spellings of an account are the same account."""
    sent = requests().create(CreateRequest(account_id=account_id, kind=kind, params={"name": "x"}))

    assert sent is not None
    assert sent.method == "POST"
    edge = {"adcreative": "adcreatives"}.get(kind, f"{kind}s")
    assert sent.url == f"https://graph.facebook.com/v26.0/act_1000000000000001/{edge}"
    assert sent.headers["Content-Type"] == "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    "account_id", ["act_act_1001", "", "act_", "1001/ads", "act_1?x=1", "ACT_1", "1 ", "1\n", "٣"]
)
def test_an_account_id_of_another_form_is_refused(account_id: str) -> None:
    """R046: a doubled prefix, and whatever would change the path."""
    with pytest.raises(Unsendable):
        account_path(account_id)


def test_the_token_is_in_the_header_and_nowhere_else() -> None:
    """R097."""
    built = requests(app_secret="shh-secret")
    create = built.create(CreateRequest(account_id="act_1", kind=Kind.AD, params={"name": "x"}))
    page = built.page(children_edge(walk_request(Kind.AD)), {"limit": "5", "after": "c"})

    assert create is not None
    assert page is not None
    for sent in (create, page):
        assert sent.headers["Authorization"] == "Bearer TESTTOKEN123"
        assert "TESTTOKEN123" not in sent.url + repr(sent) + (sent.body or b"").decode()


def test_the_proof_goes_with_every_request() -> None:
    """R030; facts 7.8."""
    proof = hmac.new(b"shh-secret", b"TESTTOKEN123", hashlib.sha256).hexdigest()
    built = requests(app_secret="shh-secret")
    create = built.create(CreateRequest(account_id="act_1", kind=Kind.AD, params={"name": "x"}))
    page = built.page(children_edge(walk_request(Kind.AD)), {"limit": "5", "after": "c"})

    assert create is not None
    assert page is not None
    assert dict(parse_qsl((create.body or b"").decode()))["appsecret_proof"] == proof
    assert dict(parse_qsl(urlsplit(page.url).query))["appsecret_proof"] == proof


def test_every_secret_is_known_to_the_redaction_before_its_first_use() -> None:
    """R096: app secret, token and proof, wherever they stand."""
    redaction = Redaction()
    keyring = Keyring(Tokens(default=SecretStr("TESTTOKEN123")), SecretStr("shh-secret"), redaction)

    found = keyring.credentials("act_1")

    assert found is not None
    assert found.proof is not None
    assert redaction(f"{found.token} {found.proof} shh-secret") == " ".join(["[redacted]"] * 3)


@pytest.mark.parametrize("token", [None, "", "  ", "two words", "line\nbreak", "é"])
def test_without_a_usable_token_nothing_is_built(token: str | None) -> None:
    built = requests(token)

    assert built.page(children_edge(walk_request(Kind.AD)), {}) is None
    assert (
        built.create(CreateRequest(account_id="act_1", kind=Kind.AD, params={"name": "x"})) is None
    )


def test_a_token_read_from_a_file_loses_its_line_end() -> None:
    page = requests("TESTTOKEN123\n").page(children_edge(walk_request(Kind.AD)), {})

    assert page is not None
    assert page.headers["Authorization"] == "Bearer TESTTOKEN123"


def test_an_account_has_its_own_token_or_the_default_one() -> None:
    tokens = Tokens(
        default=SecretStr("default"),
        by_account={"act_1": SecretStr("one"), "2": SecretStr("two"), "ACT_3": SecretStr("three")},
    )

    found = [tokens(f"act_{n}") for n in (1, 2, 3, 4)]

    assert [each and each.get_secret_value() for each in found] == [
        "one",
        "two",
        "three",
        "default",
    ]


def test_the_print_of_a_token_changes_exactly_with_the_token() -> None:
    tokens = {"act_1": SecretStr("one"), "act_2": SecretStr("one\n"), "act_3": SecretStr("two")}
    keyring = Keyring(tokens.get, SecretStr("app"), Redaction())

    one, same, other, none = (keyring.print_of(f"act_{n}") for n in (1, 2, 3, 4))

    assert one == same
    assert one is not None
    assert one != other
    assert none is None
    assert "one" not in one


@pytest.mark.parametrize(
    "name",
    [
        "É",
        "🇫🇷 👩‍👩‍👧 Soldes",
        "50% & plus+more #1",
        'a="b"; c',
        "Spring / 1",
        "ZWJ‍ \u00a0",
        "%41 +",
    ],
)
def test_a_name_survives_the_form_byte_for_byte(name: str) -> None:
    """R050: at the top and inside JSON."""
    body = form_body({"name": name, "adlabels": [{"name": name}]}, {})
    pairs = dict(parse_qsl(body.decode("ascii"), strict_parsing=True))

    assert pairs["name"].encode() == name.encode()
    assert f'[{{"name":{_json(name)}}}]' == pairs["adlabels"]


def _json(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'


def test_lists_objects_and_booleans_become_json() -> None:
    """Facts 4.6."""
    params = {
        "special_ad_categories": [],
        "creative": {"creative_id": "3001"},
        "is_x": True,
        "daily_budget": 1000,
        "bid": 1.5,
        "nothing": None,
        "status": "PAUSED",
    }

    assert dict(parse_qsl(form_body(params, {"appsecret_proof": "p"}).decode())) == {
        "special_ad_categories": "[]",
        "creative": '{"creative_id":"3001"}',
        "is_x": "true",
        "daily_budget": "1000",
        "bid": "1.5",
        "status": "PAUSED",
        "appsecret_proof": "p",
    }


@pytest.mark.parametrize("name", sorted(NEVER_SENT))
def test_a_create_never_carries(name: str) -> None:
    """Facts 2.12: above all not `fields`, which would hide a made object behind a failed read."""
    with pytest.raises(Unsendable):
        form_body({"name": "x", name: "y"}, {})


@pytest.mark.parametrize(
    "value",
    ["\ud83d", {"a": ["\ud83d"]}, "a\0b", {"a": {"b\0": 1}}, [("x", "\0")], float("nan"), object()],
)
def test_what_no_form_can_carry_is_refused(value: Any) -> None:
    with pytest.raises(Unsendable):
        form_body({"name": value}, {})


def test_each_level_is_asked_for_its_own_fields() -> None:
    """Facts 5.2, 4E: an unknown field fails the call; creatives have no time and no parent."""
    assert {kind: ",".join(names) for kind, names in FIELDS.items()} == {
        Kind.CAMPAIGN: "id,name,account_id,status,effective_status,created_time,adlabels,"
        "source_campaign_id",
        Kind.ADSET: "id,name,account_id,campaign_id,status,effective_status,created_time,adlabels,"
        "source_adset_id",
        Kind.AD: "id,name,account_id,campaign_id,adset_id,status,effective_status,created_time,"
        "adlabels,source_ad_id",
        Kind.ADCREATIVE: "id,name,account_id,status,adlabels",
    }


def test_each_level_is_asked_for_its_own_statuses() -> None:
    """R033, R034: archived asked for, DELETED not, nothing that the level does not know."""
    campaign = {"ACTIVE", "PAUSED", "ARCHIVED", "IN_PROCESS", "WITH_ISSUES"}
    adset = campaign | {"CAMPAIGN_PAUSED"}
    review = {"PENDING_REVIEW", "DISAPPROVED", "PREAPPROVED", "PENDING_BILLING_INFO"}

    assert {kind: set(names) for kind, names in STATUSES.items()} == {
        Kind.CAMPAIGN: campaign,
        Kind.ADSET: adset,
        Kind.AD: adset | {"ADSET_PAUSED"} | review,
    }


@pytest.mark.parametrize(
    ("kind", "statuses", "is_sent"),
    [
        (Kind.AD, Statuses.EVERY_STATUS, True),
        (Kind.AD, Statuses.NO_FILTER, False),
        (Kind.ADCREATIVE, Statuses.EVERY_STATUS, False),
    ],
)
def test_statuses_are_sent_only_where_every_status_is_meant(
    kind: Kind, statuses: Statuses, is_sent: bool
) -> None:
    edge = children_edge(walk_request(kind, statuses=statuses))

    assert ("effective_status" in edge.parameters) is is_sent


@pytest.mark.parametrize(
    ("container", "container_id", "kind", "path"),
    [
        (ContainerKind.ACCOUNT, "act_1001", Kind.CAMPAIGN, "act_1001/campaigns"),
        (ContainerKind.ACCOUNT, "1001", Kind.ADCREATIVE, "act_1001/adcreatives"),
        (ContainerKind.CAMPAIGN, "7", Kind.ADSET, "7/adsets"),
        (ContainerKind.ADSET, "8", Kind.AD, "8/ads"),
    ],
)
def test_children_are_listed_below_their_container(
    container: ContainerKind, container_id: str, kind: Kind, path: str
) -> None:
    assert children_edge(walk_request(kind, container, container_id)).path == path


@pytest.mark.parametrize("container_id", ["", "act_7", "7/../8", "x"])
def test_a_container_id_of_another_form_is_refused(container_id: str) -> None:
    with pytest.raises(Unsendable):
        children_edge(walk_request(Kind.AD, ContainerKind.ADSET, container_id))


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("http://127.0.0.1:8123", "http://127.0.0.1:8123/v26.0/x?a=b%20c"),
        ("http://127.0.0.1:8123/", "http://127.0.0.1:8123/v26.0/x?a=b%20c"),
        ("https://proxy.example/graph", "https://proxy.example/graph/v26.0/x?a=b%20c"),
    ],
)
def test_the_address_may_have_a_port_and_a_path(url: str, wanted: str) -> None:
    assert Endpoint(url, "v26.0").url("x", {"a": "b c"}) == wanted


@pytest.mark.parametrize(
    ("url", "version"),
    [
        ("graph.facebook.com", "v26.0"),
        ("ftp://h", "v26.0"),
        ("https://", "v26.0"),
        ("https://user:pw@h", "v26.0"),
        ("https://h?access_token=x", "v26.0"),
        ("https://h", "26.0"),
        ("https://h", "v26.0/../x"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_at_start(url: str, version: str) -> None:
    with pytest.raises(InvalidSettings):
        Endpoint(url, version)
