"""The reference table of all settings, written from the settings themselves."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final

from annotated_types import Ge, Le
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from .model import PREFIX, Settings
from .oidc import OidcSettings

_HEAD: Final = """\
# Settings

Environment variables, or lines of a `.env` file in the working folder; the environment goes first.
Secrets may also be files in the folder `RECONCILER_SECRETS_DIR`, named like the variable, with or
without its prefix. Durations are seconds and may have fractions. A variable that begins with
`RECONCILER_` and is none of these is reported and ignored. The last column names the assumption of
the promise (see the README) that a setting serves.

A proxy is named as everywhere, by `HTTPS_PROXY` and `NO_PROXY`; certificate authorities of your own
by `SSL_CERT_FILE` or `SSL_CERT_DIR`, which then replace the public ones. All four are read from
the environment, never from `.env`.

| variable | unit | default | bounds | what it is | serves |
|---|---|---|---|---|---|
"""
_SPECIAL_DEFAULTS: Final = {
    "lease_margin_seconds": "a tenth of the lease",
    "oidc_scopes": "`reconciler:read` gives `read`, and so on",
}

_OIDC: Final = OidcSettings.model_fields.keys()


def reference() -> str:
    """The page, in Markdown."""
    fields = sorted(Settings.model_fields.items(), key=lambda each: each[0] in _OIDC)
    rows = [_row(name, field) for name, field in fields if field.description]
    return _HEAD + "".join(f"{row}\n" for row in rows)


def _row(name: str, field: FieldInfo) -> str:
    extra = field.json_schema_extra
    assert isinstance(extra, dict)
    cells = [
        f"`{PREFIX}{name.upper()}`",
        str(extra["unit"]),
        _SPECIAL_DEFAULTS.get(name) or _default(field.default),
        _bounds(field),
        field.description or "",
        str(extra["serves"]),
    ]
    return f"| {' | '.join(cells)} |"


def _default(value: Any) -> str:
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return _number(value)
    return "none" if value is None else f"`{value}`"


def _bounds(field: FieldInfo) -> str:
    if isinstance(field.annotation, type) and issubclass(field.annotation, Enum):
        return ", ".join(f"`{member.value}`" for member in field.annotation)
    least = [_number(one.ge) for one in field.metadata if isinstance(one, Ge)]
    most = [_number(one.le) for one in field.metadata if isinstance(one, Le)]
    return " to ".join([*least, *most])


def _number(value: Any) -> str:
    return f"{value:,.6g}" if value < 1e6 else f"{value:,.0f}"


if __name__ == "__main__":
    print(reference(), end="")  # noqa: T201 - this is how docs/settings.md is written
