"""The secrets of this process, taken out of everything that is logged or told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote, urlsplit

from ..graph.redaction import Redaction
from ..settings import Settings

REDACTION: Final = Redaction()
"""One for the process: the API's client, the log and every error text share what it has learnt."""


def learn_secrets(settings: Settings) -> None:
    """From now on none of the secrets in the settings is shown anywhere."""
    tokens = [settings.graph_token, *settings.account_tokens.values(), settings.app_secret]
    for secret in filter(None, (*tokens, settings.notify_url)):
        REDACTION.learn(secret.get_secret_value())
    for url in filter(None, (settings.database_url, settings.legacy_database_url)):
        for password in _database_passwords(url.get_secret_value()):
            REDACTION.learn(password)
            REDACTION.learn(unquote(password))


def _database_passwords(url: str) -> Iterator[str]:
    """In front of the host, or among the parameters, which libpq reads too."""
    parts = urlsplit(url)
    if parts.password:
        yield parts.password
    for parameter in parts.query.split("&"):
        name, _, value = parameter.partition("=")
        if unquote(name) in ("password", "sslpassword") and value:
            yield value
