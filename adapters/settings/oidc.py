"""The settings of the company's own sign-in (OpenID Connect), for the HTTP service alone."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def _text(default: str | None, says: str, *, unit: str = "text") -> Any:
    extra: dict[str, Any] = {"unit": unit, "serves": ""}
    return Field(default, description=says, json_schema_extra=extra)


class OidcSettings(BaseSettings):
    """Without an issuer there is no such sign-in; with one every request needs a token or a key."""

    oidc_issuer: str | None = _text(
        None, "who signs the bearer tokens that `serve` accepts, as their `iss` says", unit="URL"
    )
    oidc_audience: str | None = _text(
        None, "what their `aud` must contain; required with an issuer"
    )
    oidc_jwks_url: str | None = _text(
        None, "where the issuer's keys are, if not at an address of its own", unit="URL"
    )
    oidc_name_claim: str = _text("sub", "the claim that names who asks, for the journal")
    oidc_scope_claim: str = _text(
        "scope", "the claim with what they may, a list or words; `a.b` is the `b` inside `a`"
    )
    oidc_scopes: Annotated[dict[str, str] | None, NoDecode] = Field(
        None,
        description='which of its words gives which scope: `{"ads-team": "publish"}`',
        json_schema_extra={"unit": "JSON", "serves": ""},
    )
    oidc_accounts_claim: str | None = _text(
        None, "the claim with the accounts they may see, `*`: all; without this setting all see all"
    )

    @field_validator("oidc_issuer", "oidc_jwks_url")
    @classmethod
    def _is_sent_over_tls(cls, url: str | None) -> str | None:
        parts = urlsplit(url or "https://none")
        if parts.scheme != "https" and (parts.scheme, parts.hostname in LOOPBACK) != ("http", True):
            raise ValueError("write https://HOST")
        if not parts.hostname or parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("give scheme, host, port and path only")
        return url

    @field_validator("oidc_scopes", mode="before")
    @classmethod
    def _is_an_object(cls, given: Any) -> Any:
        try:
            return json.loads(given) if isinstance(given, str) else given
        except ValueError:
            raise ValueError("write a JSON object") from None

    @model_validator(mode="after")
    def _says_for_whom(self) -> Self:
        """A token that was made for another service of the company opens nothing here."""
        if self.oidc_issuer and not self.oidc_audience:
            raise ValueError("RECONCILER_OIDC_ISSUER needs RECONCILER_OIDC_AUDIENCE")
        return self
