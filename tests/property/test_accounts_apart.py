"""One account never answers for another: what is asked, with which token, and whose rows count."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl

import httpx
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from adapters.graph.client import GraphClient
from adapters.graph.redaction import Redaction
from adapters.graph.tokens import Tokens
from fixtures.strategies import World, worlds
from reconciler.call_outcome import CreateRequest
from reconciler.listing import IncompleteListing, Statuses, WalkRequest
from reconciler.model import Container, ContainerKind, Kind, Outcome
from reconciler.verdict import Found

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
REDACTION = Redaction()
NUMBERS = st.integers(min_value=1, max_value=10**17).map(str)


@st.composite
def accounts(draw: st.DrawFn) -> dict[str, bool]:
    """Accounts by their number, and whether each has a token of its own."""
    return draw(st.dictionaries(NUMBERS, st.booleans(), min_size=2, max_size=4))


def token_of(number: str, known: Mapping[str, bool]) -> str:
    return f"token-{number}-own" if known[number] else "token-common"


class Keeper:
    """Answers every request with a page or an id, and keeps it."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return httpx.Response(200, json={"id": "7"} if request.method == "POST" else {"data": []})


def graph(keeper: Keeper, known: Mapping[str, bool], secret: str | None) -> GraphClient:
    own = {f"act_{n}": SecretStr(token_of(n, known)) for n, has_own in known.items() if has_own}
    return GraphClient(
        tokens=Tokens(default=SecretStr("token-common"), by_account=own),
        app_secret=SecretStr(secret) if secret else None,
        url="http://graph.test",
        transport=httpx.MockTransport(keeper),
        redaction=REDACTION,
    )


async def now() -> datetime:
    return NOON


def borne(request: httpx.Request) -> tuple[str, str | None]:
    """The token and the proof."""
    where = request.content.decode() if request.method == "POST" else request.url.query.decode()
    return request.headers["Authorization"], dict(parse_qsl(where)).get("appsecret_proof")


def wanted(token: str, secret: str | None) -> tuple[str, str | None]:
    proof = secret and hmac.new(secret.encode(), token.encode(), hashlib.sha256).hexdigest()
    return f"Bearer {token}", proof


@given(
    known=accounts(),
    spelling=st.sampled_from(["", "act_"]),
    kind=st.sampled_from(list(Kind)),
    secret=st.none() | st.just("app-secret"),
    data=st.data(),
)
async def test_every_request_goes_to_its_own_account_with_its_own_token_and_proof(
    known: dict[str, bool], spelling: str, kind: Kind, secret: str | None, data: st.DataObject
) -> None:
    number = data.draw(st.sampled_from(sorted(known)))
    account_id, keeper = f"{spelling}{number}", Keeper()
    client = graph(keeper, known, secret)

    created = await client.create(
        CreateRequest(account_id=account_id, kind=kind, params={"name": "x", "account_id": "9"}),
        within=timedelta(seconds=5),
    )
    walk = WalkRequest(
        account_id=account_id,
        container=Container(kind=ContainerKind.ACCOUNT, id=f"act_{number}"),
        kind=kind,
        statuses=Statuses.NO_FILTER,
    )
    await client.walk(walk, lambda row: True, now)
    await client.has_label(account_id, "rc1-x")
    await client.probe(account_id)
    await client.aclose()

    assert created.outcome is Outcome.CREATED
    assert len(keeper.requests) == 4
    for request in keeper.requests:
        assert request.url.path.startswith(f"/v26.0/act_{number}/")
        assert borne(request) == wanted(token_of(number, known), secret)


@given(known=accounts())
async def test_a_walk_of_an_account_for_a_document_of_another_asks_nothing(
    known: dict[str, bool],
) -> None:
    ours, theirs = sorted(known)[:2]
    keeper = Keeper()
    client = graph(keeper, known, None)

    walk = await client.walk(
        WalkRequest(
            account_id=f"act_{ours}",
            container=Container(kind=ContainerKind.ACCOUNT, id=f"act_{theirs}"),
            kind=Kind.CAMPAIGN,
            statuses=Statuses.EVERY_STATUS,
        ),
        lambda row: True,
        now,
    )
    await client.aclose()

    assert isinstance(walk, IncompleteListing)
    assert keeper.requests == []


@given(
    world=st.one_of(worlds(marked=True), worlds(marked=False)),
    foreign=st.sets(st.integers(0, 9)),
    account=st.sampled_from(["9009", "act_9009", "10011", "1", "act_act_1001"]),
)
def test_a_row_of_another_account_is_never_found_whatever_else_it_shows(
    world: World, foreign: set[int], account: str
) -> None:
    rows = tuple(
        (where, replace(row, account_id=account) if index in foreign else row)
        for index, (where, row) in enumerate(world.rows)
    )
    theirs = {row.id for _, row in rows if row.account_id == account}

    verdicts = replace(world, rows=rows).judgement().verdicts

    found = {verdict.row.id for verdict in verdicts.values() if isinstance(verdict, Found)}
    assert not found & theirs
