"""Which PostgreSQL database is taken for the ledger: a copy is refused until it is accepted."""

from __future__ import annotations

import asyncio
from typing import Final

import pytest
from sqlalchemy import text

from adapters.store import postgres_identity
from adapters.store.postgres import PostgresLedger, migrate
from adapters.store.postgres_connecting import pooled
from adapters.store.postgres_url import conninfo_of
from reconciler.errors import ForeignLedger, LedgerUnavailable, WrongSchema
from tests.contract.ledger_documents import document, put
from tests.contract.postgres_hand import Hand
from tests.postgres import GRAPH_URL, Postgres

OTHER_API: Final = "https://fake.example"


@pytest.fixture
def url(postgres: Postgres) -> str:
    """A new ledger."""
    return postgres.migrated()


def _open(url: str, graph_url: str | None = GRAPH_URL) -> None:
    PostgresLedger.open(url, graph_url=graph_url, accept_unsafe=True)


def _migrate(url: str, *, graph_url: str = GRAPH_URL, accept: bool = False) -> None:
    migrate(url, graph_url=graph_url, accept=accept, accept_unsafe=True)


def test_a_migrated_ledger_is_opened_and_migrating_again_changes_nothing(url: str) -> None:
    before = Hand(url).ask("SELECT * FROM ledger_identity")

    _open(url)
    _migrate(url)

    assert Hand(url).ask("SELECT * FROM ledger_identity") == before


def test_an_empty_database_is_refused_and_left_empty(postgres: Postgres) -> None:
    empty = postgres.empty()

    with pytest.raises(WrongSchema) as refused:
        _open(empty)

    assert refused.value.next_step == "reconciler migrate"
    assert Hand(empty).ask("SELECT tablename FROM pg_tables WHERE schemaname = 'public'") == []


def test_a_missing_database_is_refused_and_not_created(url: str) -> None:
    with pytest.raises(LedgerUnavailable, match="does not exist"):
        _migrate(url + "_missing")


def test_a_cloned_database_is_refused_until_it_is_accepted(url: str, postgres: Postgres) -> None:
    """A1."""
    clone = postgres.clone(url)

    for refuse in (_open, _migrate):
        with pytest.raises(ForeignLedger) as refused:
            refuse(clone)
        assert "--accept-database" in refused.value.next_step

    _migrate(clone, accept=True)
    _open(clone)
    _open(url)
    identity = "SELECT identity FROM ledger_identity"
    assert Hand(clone).ask(identity) != Hand(url).ask(identity)


def test_a_dump_restored_over_the_tables_is_refused(url: str) -> None:
    with Hand(url).holding(
        "CREATE TABLE dumped AS TABLE ledger_identity",
        "DROP TABLE ledger_identity",
        "CREATE TABLE ledger_identity AS TABLE dumped",
        "DROP TABLE dumped",
    ):
        pass

    with pytest.raises(ForeignLedger):
        _open(url)


def test_the_same_database_on_another_server_is_refused(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_identity, "_SYSTEM", text("SELECT '1'"))

    with pytest.raises(ForeignLedger):
        _open(url)


async def test_an_open_ledger_notices_a_database_that_took_the_place_of_its_own(
    url: str, postgres: Postgres
) -> None:
    """As after a failover, where connections go to the new primary by themselves."""
    clone = postgres.clone(url)
    ledger = PostgresLedger.open(url, accept_unsafe=True)
    await put(ledger, document())
    await ledger.aclose()
    ledger._database._engine = pooled(conninfo_of(clone))

    for noticing in (ledger.read("d1"), put(ledger, document("d2"))):
        with pytest.raises(ForeignLedger):
            await noticing

    await ledger.aclose()
    assert Hand(clone).ask("SELECT id FROM document") == []


def test_a_standby_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_identity, "_IN_RECOVERY", text("SELECT true"))

    with pytest.raises(LedgerUnavailable, match="standby") as refused:
        _open(url)

    assert "primary" in refused.value.next_step


def test_a_ledger_belongs_to_one_graph_url(url: str) -> None:
    with pytest.raises(ForeignLedger, match=GRAPH_URL):
        _open(url, OTHER_API)
    _open(url, None)

    _migrate(url, graph_url=OTHER_API, accept=True)
    _open(url, OTHER_API)


def test_a_user_who_may_not_read_the_servers_identifier_has_a_ledger_all_the_same(
    postgres: Postgres,
) -> None:
    hand = Hand(postgres.empty())
    [(user,)] = hand.ask("SELECT 'user_of_' || current_database()")
    with hand.holding(
        f"CREATE ROLE {user} LOGIN PASSWORD 'x'",
        f"GRANT ALL ON SCHEMA public TO {user}",
        "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC",
    ):
        pass
    theirs = f"postgresql://{user}:x@{hand.url.rpartition('@')[2]}"

    try:
        _migrate(theirs)
        _open(theirs)
        hand.ask("ALTER TABLE ledger_identity OWNER TO CURRENT_USER")
        with pytest.raises(LedgerUnavailable, match="may not do what the ledger needs"):
            _open(theirs)
    finally:
        hand.ask(f"DROP OWNED BY {user}")
        hand.ask(f"DROP ROLE {user}")


def test_another_programs_database_is_refused_and_left_as_it_is(postgres: Postgres) -> None:
    theirs = postgres.empty()
    Hand(theirs).ask("CREATE TABLE account (name text)")

    with pytest.raises(ForeignLedger, match="another program's tables"):
        _migrate(theirs, accept=True)

    assert Hand(theirs).ask("SELECT tablename FROM pg_tables WHERE schemaname = 'public'") == [
        ("account",)
    ]


async def test_of_two_who_migrate_at_once_both_find_it_done(postgres: Postgres) -> None:
    new = postgres.empty()

    await asyncio.gather(*(asyncio.to_thread(_migrate, new) for _ in range(2)))

    _open(new)
    assert Hand(new).ask("SELECT count(*) FROM ledger_identity") == [(1,)]


def test_a_database_that_cannot_keep_every_name_is_refused(postgres: Postgres) -> None:
    """R051."""
    with pytest.raises(LedgerUnavailable, match="LATIN1") as refused:
        _migrate(postgres.empty("LATIN1"))

    assert "UTF8" in refused.value.next_step
