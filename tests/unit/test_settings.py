"""Settings: where they come from, their bounds, and that no error shows a value."""

from datetime import timedelta
from pathlib import Path

import pytest

from adapters.settings import Settings, load_settings, unknown_variables
from adapters.settings.oidc import OidcSettings
from adapters.settings.reference import reference
from reconciler.errors import InvalidSettings
from reconciler.limits import Limits
from tests.repo.tree import ROOT

CANARY = "EAACANARYsettings"


@pytest.fixture(autouse=True)
def _an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def token(settings: Settings, account_id: str) -> str | None:
    found = settings.token_for(account_id)
    return None if found is None else found.get_secret_value()


def test_the_defaults_are_those_of_the_core() -> None:
    assert load_settings().to_limits() == Limits()


def test_a_variable_goes_before_the_file_and_the_file_before_the_secrets_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mounted").mkdir()
    (tmp_path / "mounted" / "graph_token").write_text("from-folder\n")
    (tmp_path / "mounted" / "RECONCILER_APP_SECRET").write_text("secret-from-folder\n")
    (tmp_path / ".env").write_text(
        "RECONCILER_SECRETS_DIR=mounted\nRECONCILER_GRAPH_TOKEN=from-file\n"
        "RECONCILER_CALL_TIMEOUT_SECONDS=2.5\nOTHER=1\n"
    )
    monkeypatch.setenv("RECONCILER_CALL_TIMEOUT_SECONDS", "1.25")

    settings = load_settings()

    assert token(settings, "1001") == "from-file"
    assert settings.app_secret is not None
    assert settings.app_secret.get_secret_value() == "secret-from-folder"
    assert settings.to_limits().call_timeout == timedelta(seconds=1.25)


def test_an_account_has_its_own_token_from_any_of_the_three_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mounted").mkdir()
    (tmp_path / "mounted" / "RECONCILER_GRAPH_TOKEN__act_1003").write_text("own-3\n")
    (tmp_path / ".env").write_text("RECONCILER_GRAPH_TOKEN__1002=own-2\n")
    monkeypatch.setenv("RECONCILER_SECRETS_DIR", str(tmp_path / "mounted"))
    monkeypatch.setenv("RECONCILER_GRAPH_TOKEN__act_1001", "own-1")
    monkeypatch.setenv("RECONCILER_GRAPH_TOKEN", "common")

    settings = load_settings()

    assert [token(settings, f"act_{account}") for account in (1001, 1002, 1003, 1004)] == [
        "own-1",
        "own-2",
        "own-3",
        "common",
    ]
    assert token(settings, "1001") == "own-1"


def test_an_empty_variable_is_one_that_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECONCILER_GRAPH_TOKEN", "")
    monkeypatch.setenv("RECONCILER_LEASE_SECONDS", "")

    settings = load_settings()

    assert settings.graph_token is None
    assert settings.to_limits() == Limits()


def test_only_secrets_are_read_from_the_secrets_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lease_seconds").write_text("1")
    (tmp_path / "..data").mkdir()
    monkeypatch.setenv("RECONCILER_SECRETS_DIR", str(tmp_path))

    assert load_settings().to_limits() == Limits()


def test_a_secrets_folder_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECONCILER_SECRETS_DIR", "nowhere")

    with pytest.raises(InvalidSettings, match="RECONCILER_SECRETS_DIR"):
        load_settings()


def test_the_margin_is_a_tenth_of_the_lease_unless_it_is_given() -> None:
    assert load_settings(lease_seconds=200).to_limits().lease_margin == timedelta(seconds=20)
    given = load_settings(lease_seconds=200, lease_margin_seconds=0.5).to_limits()
    assert given.lease_margin == timedelta(seconds=0.5)


@pytest.mark.parametrize(
    "name",
    [
        "LEASE",
        "LEASE_MARGIN",
        "CALL_TIMEOUT",
        "BACKOFF_BASE",
        "BACKOFF_CAP",
        "SWEEP_INTERVAL",
    ],
)
def test_a_duration_that_would_round_to_none_is_refused_by_its_name_and_bound(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"RECONCILER_{name}_SECONDS", "1e-9")

    with pytest.raises(InvalidSettings) as refused:
        load_settings()

    assert f"RECONCILER_{name}_SECONDS" in refused.value.message
    assert "0.001" in refused.value.message
    assert "docs/settings.md" in refused.value.next_step


def test_a_lease_that_a_call_could_outlive_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECONCILER_LEASE_SECONDS", "30")

    with pytest.raises(InvalidSettings, match="A2"):
        load_settings()


BOUNDS = {
    "DATABASE_URL": ["mysql://x", "sqlite:///:memory:", "sqlite://", "reconciler.db"],
    "GRAPH_URL": [
        "graph.facebook.com",
        "ftp://host",
        "https://user:pass@host",
        "https://host?access_token=x",
    ],
    "GRAPH_VERSION": ["26", "v26", "latest", "v26.0/../v1.0"],
    "GRAPH_TOKEN": ["two words", "a\nb", "grün"],
    "APP_SECRET": ["two words"],
    "GRAPH_TOKEN__act_7": ["two words"],
    "LEASE_SECONDS": ["0", "-1", "86401", "inf", "nan", "soon"],
    "LEASE_MARGIN_SECONDS": ["0", "-1", "86401"],
    "CALL_TIMEOUT_SECONDS": ["0", "-0.5"],
    "LATE_LANDING_SECONDS": ["-1", "inf"],
    "LISTING_LAG_SECONDS": ["-1"],
    "CLOCK_SKEW_SECONDS": ["-1"],
    "ECHO": ["labels", "LABEL"],
    "LEGACY_EVIDENCE": ["name"],
    "LEGACY_ON_READ": ["perhaps"],
    "BACKOFF_BASE_SECONDS": ["0"],
    "BACKOFF_CAP_SECONDS": ["0"],
    "MAX_ATTEMPTS": ["0", "1.5", "1001"],
    "MAX_PER_NAME": ["0", "10001"],
    "PAGE_SIZE": ["0", "5001"],
    "MAX_PAGES": ["0", "1000001"],
    "CONCURRENCY": ["0", "1001"],
    "ACCOUNT_CONCURRENCY": ["0", "1001"],
    "WAVE_SIZE": ["0", "1001"],
    "CREATE_BATCH": ["0", "51"],
    "READ_BUDGET_SECONDS": ["-1"],
    "SWEEP_INTERVAL_SECONDS": ["0"],
    "THROTTLE_MAX_WAIT_SECONDS": ["-1"],
    "NARROW_LISTINGS": ["perhaps"],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in BOUNDS.items() for value in values]
)
def test_a_value_out_of_bounds_is_refused_by_the_name_of_its_variable(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"RECONCILER_{name}", value)

    with pytest.raises(InvalidSettings) as refused:
        load_settings()

    expected = "ACCOUNT_TOKENS" if "__" in name else name
    assert f"RECONCILER_{expected}" in refused.value.message


def test_every_bounded_setting_has_a_row_above() -> None:
    unbounded = {
        "account_tokens",
        "app_id",
        "legacy_database_url",
        "legacy_query",
        "notify_command",
        "notify_url",
        "secrets_dir",
        *OidcSettings.model_fields,  # test_oidc_issuer
    }

    assert {name.upper() for name in Settings.model_fields.keys() - unbounded} <= BOUNDS.keys()


def test_all_mistakes_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECONCILER_PAGE_SIZE", "0")
    monkeypatch.setenv("RECONCILER_ECHO", "loud")

    with pytest.raises(InvalidSettings) as refused:
        load_settings()

    assert len(refused.value.message.splitlines()) == 2


@pytest.mark.parametrize(
    "name", ["GRAPH_TOKEN", "APP_SECRET", "DATABASE_URL", "GRAPH_TOKEN__act_1"]
)
def test_neither_an_error_nor_the_repr_shows_a_secret(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"RECONCILER_{name}", f"{CANARY} with a space")
    with pytest.raises(InvalidSettings) as refused:
        load_settings()
    monkeypatch.setenv(f"RECONCILER_{name}", f"sqlite:///{CANARY}")
    settings = load_settings()

    shown = [str(refused.value), repr(refused.value.__cause__), repr(settings), str(settings)]
    shown += [str(settings.model_dump())]

    assert CANARY not in "".join(shown)


def test_the_database_is_shown_without_user_and_password() -> None:
    settings = load_settings(database_url=f"postgresql://me:{CANARY}@host:5432/ledger")

    assert settings.database_shown == "postgresql://host:5432/ledger"


def test_the_address_of_the_api_has_one_spelling() -> None:
    assert load_settings(graph_url="https://GRAPH.example/").graph_url == "https://graph.example"


def test_an_argument_that_is_no_setting_is_refused() -> None:
    with pytest.raises(InvalidSettings, match="leese"):
        load_settings(leese_seconds=1)


def test_a_variable_that_is_no_setting_is_named_with_the_likely_one(tmp_path: Path) -> None:
    dotenv = tmp_path / ".env"
    dotenv.write_text("RECONCILER_PAGES=3\nUNRELATED=1\n")
    environment = {
        "RECONCILER_LEASE_SECOND": CANARY,
        "RECONCILER_GRAPH_TOKEN": CANARY,
        "RECONCILER_GRAPH_TOKEN__act_1001": CANARY,
        "RECONCILER_GRAPH_TOKEN__me": CANARY,
        "RECONCILER_DEBUG": "1",
        "PATH": "/bin",
    }

    lines = list(unknown_variables(environment, dotenv))

    assert [line.partition(" ")[0] for line in lines] == [
        "RECONCILER_GRAPH_TOKEN__me",
        "RECONCILER_LEASE_SECOND",
        "RECONCILER_PAGES",
    ]
    assert "did you mean RECONCILER_LEASE_SECONDS?" in lines[1]
    assert CANARY not in "".join(lines)


def test_the_page_of_settings_is_current() -> None:
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")

    assert page == reference(), "run: python -m adapters.settings.reference > docs/settings.md"
