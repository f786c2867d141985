"""Reads the settings once, and says in words what is wrong with them, without any value."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError
from pydantic_settings import SettingsError

from reconciler.errors import InvalidSettings

from .model import PREFIX, Settings

OTHERS: Final = frozenset({"DEBUG", "VENV", "PYTHON"})
"""Ours, but no settings: tracebacks, and the two that belong to `scripts/`."""


def load_settings(**given: Any) -> Settings:
    """The settings of this process, A2 checked; `given` goes before the environment.

    Raises `InvalidSettings`, which names each variable that is wrong and never its value.
    """
    if strangers := given.keys() - Settings.model_fields.keys():
        raise InvalidSettings(f"no such setting: {', '.join(sorted(strangers))}")
    try:
        settings = Settings(**given)
    except ValidationError as error:
        # From None: the cause's own text may be logged by somebody who does not know what is in it.
        raise InvalidSettings("\n".join(_lines(error)), next_step=_NEXT) from None
    except (SettingsError, UnicodeDecodeError, OSError):
        raise InvalidSettings("the .env file cannot be read as UTF-8", next_step=_NEXT) from None
    settings.to_limits()
    return settings


_NEXT: Final = "mend the variable or the .env file; docs/settings.md lists bounds and defaults"


def _lines(error: ValidationError) -> Iterator[str]:
    for one in error.errors(include_input=False, include_url=False, include_context=False):
        name = PREFIX + str(one["loc"][0]).upper() if one["loc"] else "settings"
        yield f"{name}: {one['msg'].removeprefix('Value error, ')}"


def unknown_variables(
    environment: Mapping[str, str] | None = None, dotenv: Path = Path(".env")
) -> Iterator[str]:
    """A line for each variable that looks like a setting and is none: a typo loses safety."""
    known = {name.upper() for name in Settings.model_fields} | OTHERS
    names = {*(os.environ if environment is None else environment), *_names_in(dotenv)}
    for name in sorted(names):
        bare = name.upper().removeprefix(PREFIX)
        if not name.upper().startswith(PREFIX) or bare in known or _is_an_accounts_token(bare):
            continue
        close = difflib.get_close_matches(bare, known, n=1)
        hint = f"; did you mean {PREFIX}{close[0]}?" if close else ""
        yield f"{name} is no setting and was ignored{hint}"


def _is_an_accounts_token(bare: str) -> bool:
    start, _, account = bare.partition("__")
    return start == "GRAPH_TOKEN" and account.removeprefix("ACT_").isdecimal()


def _names_in(dotenv: Path) -> set[str]:
    from dotenv import dotenv_values

    return set(dotenv_values(dotenv, interpolate=False)) if dotenv.is_file() else set()
