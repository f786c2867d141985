"""Which parameters an item may not carry, and why: each would undo a part of the promise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .complaints import Complaints, shown
from .mark import has_mark_form
from .model import Kind
from .plan_values import INVALID

_SECRET: Final = "is a secret, and plans are stored"  # noqa: S105 - a reason, not a secret
_COPY: Final = "makes the entity look like a copy, and copies are never claimed"
_INLINE: Final = "makes a second entity in the same call, which no intent records"
_BATCH: Final = "turns one create into several calls"

FORBIDDEN: Final[Mapping[str, tuple[str, str]]] = {
    "name": ("stands beside params", "write it as the item's name"),
    "fields": ("can make a create that happened look like an error", "remove it"),
    "execution_options": ("can make a create that makes nothing", "remove it"),
    "access_token": (_SECRET, "give the token in the settings"),
    "appsecret_proof": (_SECRET, "give the app secret in the settings"),
    "campaign_spec": (_INLINE, "write the campaign as an item of its own and refer to it"),
    "adset_spec": (_INLINE, "write the ad set as an item of its own and refer to it"),
    "source_campaign_id": (_COPY, "remove it"),
    "source_adset_id": (_COPY, "remove it"),
    "source_ad_id": (_COPY, "remove it"),
    "adbatch": (_BATCH, "write each entity as an item"),
    "method": ("turns the create into another request", "remove it"),
    "batch": (_BATCH, "write each entity as an item"),
}

LABELS_MAX: Final = 49
"""The API takes 50 on one entity (facts 4.24); one of them is ours."""

UNFINDABLE: Final = frozenset({"ARCHIVED", "DELETED"})
"""Listings may hide an entity made in these states: it could be neither found nor told absent."""


def check_params(kind: Kind | None, params: Mapping[str, Any], complaints: Complaints) -> None:
    """Say what in an item's top-level params is refused. `kind` None: unreadable."""
    for name in params:
        if _bare(name) in FORBIDDEN:
            reason, instead = FORBIDDEN[_bare(name)]
            complaints.say(f"params.{name}", f"is refused: it {reason}", instead)
    if "adlabels" in params:
        _check_labels(params["adlabels"], complaints)
    if "status" in params and kind is not Kind.ADCREATIVE:
        _check_status(params["status"], complaints)


def _check_status(status: object, complaints: Complaints) -> None:
    if status is INVALID:
        return
    if not isinstance(status, str) or not status:
        complaints.say("params.status", f"is {shown(status)}, no status", 'write "PAUSED"')
    elif status.upper() in UNFINDABLE:
        problem = f"is {shown(status)}: listings would hide the entity from us"
        complaints.say("params.status", problem, 'write "PAUSED"')


def _check_labels(labels: object, complaints: Complaints) -> None:
    at = "params.adlabels"
    if not isinstance(labels, list):
        if labels is not INVALID:
            complaints.say(at, f"is {shown(labels)}, no list", 'write [{"name": …}]')
        return
    if len(labels) > LABELS_MAX:
        problem = f"has {len(labels)} labels; the API takes 50 and one of them is ours"
        complaints.say(at, problem, f"keep at most {LABELS_MAX}")
    for place, label in enumerate(labels):
        _check_label(label, f"{at}[{place}]", complaints)


def _check_label(label: object, at: str, complaints: Complaints) -> None:
    if label is INVALID:
        return
    name, label_id = (
        (label.get("name"), label.get("id")) if isinstance(label, dict) else (None, None)
    )
    if not isinstance(name, str) and not isinstance(label_id, str):
        complaints.say(at, "has neither a name nor an id", 'write {"name": …} or {"id": …}')
    elif isinstance(name, str) and has_mark_form(name.strip().lower()):
        problem = f"is {shown(name)}, the form of our mark, and would be read as another document's"
        complaints.say(at, problem, "use another label")


def _bare(name: str) -> str:
    """The parameter a name would reach: spelled otherwise, or with brackets, it is the same one."""
    return name.partition("[")[0].strip().lower()
