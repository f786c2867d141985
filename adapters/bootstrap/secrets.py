"""The secrets of this process, taken out of everything that is logged or told."""

from __future__ import annotations

from typing import Final
from urllib.parse import unquote, urlsplit

from ..graph.redaction import Redaction
from ..settings import Settings

REDACTION: Final = Redaction()
"""One for the process: the API's client, the log and every error text share what it has learnt."""


def learn_secrets(settings: Settings) -> None:
    """From now on none of the secrets in the settings is shown anywhere."""
    tokens = [settings.graph_token, *settings.account_tokens.values(), settings.app_secret]
    for secret in filter(None, tokens):
        REDACTION.learn(secret.get_secret_value())
    password = urlsplit(settings.database_url.get_secret_value()).password
    if password:
        REDACTION.learn(password)
        REDACTION.learn(unquote(password))
