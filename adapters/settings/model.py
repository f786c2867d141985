"""Every setting: its unit, default and bounds, and the assumption of the promise that it serves.

Numbers and texts live here, at the edge; `to_limits` turns them into what the core works with.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from reconciler.create_batch import CHILDREN_MAX
from reconciler.limits import Limits
from reconciler.model import Echo
from reconciler.policy import Legacy, LegacyEvidence

from .oidc import LOOPBACK, OidcSettings
from .sources import secret_sources

PREFIX: Final = "RECONCILER_"
DAY: Final = 86_400.0
"""In seconds. No duration here is sensibly longer, and a slip of the keyboard should not be one."""

MILLISECOND: Final = 0.001
"""In seconds. Less would round to nothing: durations are kept to the microsecond."""


def _seconds(default: float | None, says: str, *, serves: str = "", zero: bool = True) -> Any:
    """A duration in seconds, fractions allowed; `zero` False asks for more than none."""
    return Field(
        default,
        ge=0 if zero else MILLISECOND,
        le=DAY,
        allow_inf_nan=False,
        description=says,
        json_schema_extra={"unit": "seconds", "serves": serves},
    )


def _count(default: int, most: int, says: str, *, serves: str = "") -> Any:
    """A whole number from one to `most`."""
    extra: dict[str, Any] = {"unit": "count", "serves": serves}
    return Field(default, ge=1, le=most, description=says, json_schema_extra=extra)


def _text(default: Any, says: str, *, serves: str = "", unit: str = "text", **more: Any) -> Any:
    extra: dict[str, Any] = {"unit": unit, "serves": serves}
    return Field(default, description=says, json_schema_extra=extra, validate_default=True, **more)


def _one_word(secret: SecretStr) -> SecretStr:
    """Trimmed. A line break inside would end in an error of the HTTP library that quotes it."""
    text = secret.get_secret_value().strip()
    if not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("must be one word of visible ASCII characters")
    return SecretStr(text)


class Settings(OidcSettings):
    """What one process runs with. Frozen; neither its repr nor its errors show a secret."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=".env",
        env_file_encoding="utf-8",
        env_ignore_empty=True,  # `RECONCILER_GRAPH_TOKEN=` in a compose file means "not given"
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
    )

    database_url: SecretStr = _text(
        SecretStr("sqlite:///reconciler.db"),
        "the ledger: `sqlite:///FILE` or `postgresql://…`; only `migrate` makes a missing file",
        serves="A1",
        unit="URL",
    )
    graph_url: str = _text(
        "https://graph.facebook.com",
        "the API; a ledger belongs to one, another is refused",
        unit="URL",
    )
    graph_version: str = _text("v26.0", "its version", pattern=r"^v[0-9]{1,3}\.[0-9]{1,2}$")
    graph_token: SecretStr | None = _text(
        None,
        "the access token; `RECONCILER_GRAPH_TOKEN__act_1001` is one account's own and goes first",
        unit="secret",
    )
    app_secret: SecretStr | None = _text(
        None, "signs every call (`appsecret_proof`) where the app asks for it", unit="secret"
    )
    app_id: str | None = _text(
        None,
        "our app: where a verdict would rest on a name, the activity log is asked who made the row",
    )
    secrets_dir: Path | None = _text(
        None,
        "a folder with one file for each secret, named like its variable, with or without prefix",
        unit="folder",
    )
    lease_seconds: float = _seconds(
        120, "how long a worker owns a document without renewing", serves="A2", zero=False
    )
    lease_margin_seconds: float | None = _seconds(
        None, "what two clocks may drift apart in one lease", serves="A2, A7", zero=False
    )
    call_timeout_seconds: float = _seconds(
        30, "the whole of one create, connecting included", serves="A2", zero=False
    )
    late_landing_seconds: float = _seconds(
        120, "no request lands later than this after it was given up", serves="A3"
    )
    listing_lag_seconds: float = _seconds(60, "a created entity is listed within this", serves="A4")
    clock_skew_seconds: float = _seconds(
        5, "how far the ledger's clock and the API's may differ", serves="A6"
    )
    echo: Echo = _text(Echo.LABEL, "where our mark rides", serves="A5")
    legacy_evidence: LegacyEvidence = _text(
        LegacyEvidence.NAME_AND_TIME, "what may bind an entity to a document without a mark"
    )
    legacy_on_read: bool = _text(True, "whether `show` settles imported documents", unit="boolean")
    legacy_database_url: SecretStr | None = _text(
        None,
        "your own database, for `import --database`: any address that SQLAlchemy takes; only read",
        unit="secret",
    )
    legacy_query: str | None = _text(
        None, "the query whose rows `import --database` takes, by the names of its columns"
    )
    backoff_base_seconds: float = _seconds(
        5, "the first wait after a failure; doubles each time", zero=False
    )
    backoff_cap_seconds: float = _seconds(600, "the longest of these waits", zero=False)
    max_attempts: int = _count(5, 1_000, "attempts without progress before a document ends")
    max_per_name: int = _count(10, 10_000, "candidates of one name before a person must decide")
    page_size: int = _count(500, 5_000, "rows asked for in one page of a listing")
    narrow_listings: bool = _text(
        False,
        "asks for what bears our label first: a saving where containers are large, never a proof "
        "that something is missing",
        unit="boolean",
    )
    max_pages: int = _count(2_000, 1_000_000, "pages of one listing; more is incomplete")
    concurrency: int = _count(10, 1_000, "creates in flight in one process")
    account_concurrency: int = _count(
        10,
        1_000,
        "documents of one account that are published at once: by one worker, or with the engine "
        "`procrastinate` by all together",
    )
    wave_size: int = _count(50, 1_000, "creates whose intents are written in one transaction")
    create_batch: int = _count(
        1, CHILDREN_MAX, "creates that may share one request (ten at most of ads); 1: each alone"
    )
    read_budget_seconds: float = _seconds(2, "how long `show` may look before it answers")
    sweep_interval_seconds: float = _seconds(30, "the pause between two sweeps", zero=False)
    throttle_max_wait_seconds: float = _seconds(
        3_600, "the longest an account is left alone after a throttle"
    )
    notify_url: SecretStr | None = _text(
        None, "a webhook that is posted to where a person is wanted: held, or a surplus", unit="URL"
    )
    notify_command: str | None = _text(
        None, "a command that gets the same notice, as JSON, on its standard input"
    )
    account_tokens: Annotated[dict[str, SecretStr], NoDecode] = Field(default_factory=dict)
    """Tokens by account id, each with its `act_`: GRAPH_TOKEN__act_1001, from all three places."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """In order of precedence: arguments, environment, `.env`, secrets directory."""
        return secret_sources(settings_cls, init_settings, env_settings, dotenv_settings)

    @field_validator("database_url")
    @classmethod
    def _is_a_durable_database(cls, url: SecretStr) -> SecretStr:
        text = url.get_secret_value()
        scheme = text.partition("://")[0].partition("+")[0]
        if scheme not in ("sqlite", "postgresql", "postgres"):
            raise ValueError("write sqlite:///FILE or postgresql://USER@HOST/DATABASE")
        if scheme == "sqlite" and (":memory:" in text or not text.partition(":///")[2]):
            raise ValueError("name a file: a database in memory survives no crash (A1)")
        return url

    @field_validator("graph_token", "app_secret")
    @classmethod
    def _fits_a_header(cls, secret: SecretStr | None) -> SecretStr | None:
        return secret and _one_word(secret)

    @field_validator("account_tokens")
    @classmethod
    def _fit_a_header(cls, tokens: dict[str, SecretStr]) -> dict[str, SecretStr]:
        return {account: _one_word(token) for account, token in tokens.items()}

    @field_validator("graph_url")
    @classmethod
    def _is_a_plain_address(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("write https://HOST")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("give scheme, host and port only; a token never belongs in an address")
        return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"

    def token_for(self, account_id: str) -> SecretStr | None:
        """The account's own token, else the common one. `account_id` with or without `act_`."""
        own = self.account_tokens.get(f"act_{account_id.removeprefix('act_')}")
        return own or self.graph_token

    @property
    def sends_in_clear(self) -> bool:
        """Whether the token would leave this machine unencrypted."""
        parts = urlsplit(self.graph_url)
        return parts.scheme != "https" and parts.hostname not in LOOPBACK

    @property
    def database_shown(self) -> str:
        """The database as it may be printed: without user, password and parameters."""
        scheme, _, rest = self.database_url.get_secret_value().partition("://")
        if not self.is_sqlite:
            rest = rest.partition("?")[0]
        return f"{scheme}://{rest.rpartition('@')[2]}"

    @property
    def is_sqlite(self) -> bool:
        """Whether the ledger is a file; else it is a PostgreSQL database."""
        return self.database_url.get_secret_value().startswith("sqlite")

    def to_legacy(self) -> Legacy:
        """What suffices for documents from elsewhere."""
        return Legacy(
            evidence=self.legacy_evidence, on_read=self.legacy_on_read, app_id=self.app_id
        )

    def to_limits(self) -> Limits:
        """The same for the core. Raises `InvalidSettings` where A2 cannot hold."""
        margin = self.lease_margin_seconds
        return Limits(
            lease=timedelta(seconds=self.lease_seconds),
            lease_margin=timedelta(seconds=self.lease_seconds / 10 if margin is None else margin),
            call_timeout=timedelta(seconds=self.call_timeout_seconds),
            late_landing=timedelta(seconds=self.late_landing_seconds),
            listing_lag=timedelta(seconds=self.listing_lag_seconds),
            clock_skew=timedelta(seconds=self.clock_skew_seconds),
            backoff_base=timedelta(seconds=self.backoff_base_seconds),
            backoff_cap=timedelta(seconds=self.backoff_cap_seconds),
            throttle_max_wait=timedelta(seconds=self.throttle_max_wait_seconds),
            sweep_interval=timedelta(seconds=self.sweep_interval_seconds),
            max_attempts=self.max_attempts,
            max_per_name=self.max_per_name,
            concurrency=self.concurrency,
            account_concurrency=self.account_concurrency,
            wave_size=self.wave_size,
            create_batch=self.create_batch,
            echo=self.echo,
        )
