"""Draws templates: whatever came from outside is escaped, and shown where it would turn the text.

Nothing is decided in a template; what it needs that is not a value is a function given here.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib import resources
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from reconciler.typed_command import typed_command

from ..raw_path import part
from . import words
from .escapes import drawn, marked, whole
from .standing import standing_of
from .times import clock, relative

TEXT_SHOWN_MAX: Final = 400
"""Characters of one value; `document-state/1` has it whole."""

ASSETS: Final = {"page.css": "text/css", "icon.svg": "image/svg+xml"}
"""The files that pages refer to, each with its media type."""


def rendered(template: str, **values: Any) -> str:
    """The page. Characters that no encoding has are told by their number."""
    return drawn(_environment().get_template(template).render(values))


def asset(name: str) -> bytes:
    """A file that pages refer to."""
    return resources.files(__package__).joinpath("assets", name).read_bytes()


@cache
def asset_link(name: str) -> str:
    """Its address, with a version by its content: a browser may keep it for good."""
    return f"/page/{name}?{hashlib.sha256(asset(name)).hexdigest()[:12]}"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "clock": clock,
        "count": counted,
        "segment": part,
        "value": value,
        "whole": whole,
    }
    environment.globals |= {
        "asset": asset_link,
        "relative": relative,
        "standing_of": standing_of,
        "typed_command": typed_command,
        "words": words,
    }
    return environment


def _shown(given: Any) -> Any:
    """Of every expression that a template prints; markup of ours was made of such already."""
    if isinstance(given, Markup) or not isinstance(given, str):
        return given
    if len(given) <= TEXT_SHOWN_MAX:
        return marked(given)
    return f"{marked(given[:TEXT_SHOWN_MAX])}… ({len(given):,} characters)"


def value(given: Any) -> str:
    """A value that was compared, as text."""
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def counted(number: int, what: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
