"""Where secrets come from: variables, `.env`, or one file for each in a secrets directory.

The last is what orchestrators mount. Only secrets are read from it, so that a stray file cannot
change how long a lease is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource

from reconciler.errors import InvalidSettings

ACCOUNT_TOKENS: Final = "account_tokens"
SECRETS: Final = ("graph_token", "app_secret", "database_url", "legacy_database_url")
SECRET_BYTES_MAX: Final = 65_536
"""A token is a few hundred bytes; a larger file is something else, put there by mistake."""

_OWN_TOKEN: Final = re.compile(r"graph_token__(?:act_)?(?P<digits>[0-9]+)")


def secret_sources(
    settings: type[BaseSettings],
    arguments: PydanticBaseSettingsSource,
    environment: PydanticBaseSettingsSource,
    dotenv: PydanticBaseSettingsSource,
) -> tuple[PydanticBaseSettingsSource, ...]:
    """All sources in order of precedence, with the accounts' own tokens beside each."""
    variables, file = _unprefixed(settings, environment), _unprefixed(settings, dotenv)
    given = arguments()
    folder = given.get("secrets_dir") or variables.get("secrets_dir") or file.get("secrets_dir")
    mounted = _files(settings, Path(folder)) if folder else {}
    return (
        arguments,
        environment,
        Secrets(settings, variables, only_tokens=True),
        dotenv,
        Secrets(settings, file, only_tokens=True),
        Secrets(settings, mounted),
    )


class Secrets(PydanticBaseSettingsSource):
    """Secrets out of a mapping of names in lower case, without prefix."""

    def __init__(
        self, settings: type[BaseSettings], values: Mapping[str, str], *, only_tokens: bool = False
    ) -> None:
        super().__init__(settings)
        self._values = values
        self._fields = () if only_tokens else SECRETS

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        """Part of the interface; a field by itself is never asked for."""
        return self._values.get(field_name), field_name, False

    def __call__(self) -> dict[str, Any]:
        """What this place says: plain secrets, and the accounts' own tokens by account id."""
        found: dict[str, Any] = {
            name: self._values[name] for name in self._fields if name in self._values
        }
        if tokens := dict(_own_tokens(self._values)):
            found[ACCOUNT_TOKENS] = tokens
        return found


def _own_tokens(values: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    for name, value in values.items():
        if match := _OWN_TOKEN.fullmatch(name):
            yield f"act_{match['digits']}", value


def _unprefixed(settings: type[BaseSettings], source: PydanticBaseSettingsSource) -> dict[str, str]:
    """Our variables of one place, in lower case, without prefix, the empty ones left out."""
    assert isinstance(source, EnvSettingsSource)
    prefix = str(settings.model_config.get("env_prefix", "")).lower()
    return {
        name.lower().removeprefix(prefix): value
        for name, value in source.env_vars.items()
        if name.lower().startswith(prefix) and value
    }


def _files(settings: type[BaseSettings], folder: Path) -> dict[str, str]:
    """The secrets of a folder. Raises `InvalidSettings` where it was named and cannot be read."""
    prefix = str(settings.model_config.get("env_prefix", "")).lower()
    try:
        paths = {path.name.lower().removeprefix(prefix): path for path in sorted(folder.iterdir())}
        wanted = {name: path for name, path in paths.items() if _is_secret(name)}
        return {name: text for name, path in wanted.items() if (text := _secret(path))}
    except (OSError, UnicodeDecodeError) as error:
        what = error.strerror if isinstance(error, OSError) else "a file in it is no UTF-8 text"
        raise InvalidSettings(
            f"RECONCILER_SECRETS_DIR cannot be read: {what}",
            next_step="mend or unset RECONCILER_SECRETS_DIR",
        ) from None


def _is_secret(name: str) -> bool:
    return name in SECRETS or _OWN_TOKEN.fullmatch(name) is not None


def _secret(path: Path) -> str:
    if path.stat().st_size > SECRET_BYTES_MAX:
        raise InvalidSettings(f"the secret {path.name} has more than {SECRET_BYTES_MAX} bytes")
    return path.read_text(encoding="utf-8").strip()
