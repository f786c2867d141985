"""From an item to the complete request that creates it, and to the intent that is stored before.

What the user left out is supplied here and nowhere else: the parent's id, a status that spends
nothing, and our mark. The intent keeps what a row must bear to be ours, as it was sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .call_outcome import CreateRequest
from .canonical_json import digest
from .listing import Row
from .mark import Mark
from .model import Container, ContainerKind, Document, Echo, Intent, Item, Kind
from .names import canonical

PARENT_PARAM: Final[Mapping[Kind, str]] = {Kind.ADSET: "campaign_id", Kind.AD: "adset_id"}
"""The parameter that names an item's parent; campaigns and creatives belong to the account."""

PARENT_KIND: Final[Mapping[Kind, ContainerKind]] = {
    Kind.CAMPAIGN: ContainerKind.ACCOUNT,
    Kind.ADCREATIVE: ContainerKind.ACCOUNT,
    Kind.ADSET: ContainerKind.CAMPAIGN,
    Kind.AD: ContainerKind.ADSET,
}

REF: Final = "$ref"
"""`{"$ref": KEY}` stands for the external id of another item of the document."""

SAFE_STATUS: Final = "PAUSED"
"""Sent where the user said nothing: an entity that we lost sight of must not spend."""


def new_intent(
    document: Document, item: Item, echo: Echo, external_ids: Mapping[str, str]
) -> Intent:
    """The intent of an item whose references are all confirmed. Holds no call yet.

    `external_ids` maps keys of items to their ids. No mark is sent where echo is off or the
    document was submitted without one.
    """
    container = container_of(item, external_ids)
    mark = None
    if echo is not Echo.NONE and document.mark_part is not None:
        mark = Mark(document.mark_part, item.item_part)
    return Intent(
        kind=item.kind,
        name=canonical(item.name),
        container=container,
        fingerprint=fingerprint(item, resolve_refs(item.params, external_ids), container),
        mark=mark,
        mark_in_name=mark is not None and rides_in_name(item.is_twin, echo),
    )


def create_request(
    document: Document, item: Item, intent: Intent, external_ids: Mapping[str, str]
) -> CreateRequest:
    """The request as it goes over the wire: references resolved, nothing left to add."""
    resolved = resolve_refs(item.params, external_ids)
    params = complete_params(item.kind, resolved, intent.container.id)
    if item.kind in PARENT_PARAM and params[PARENT_PARAM[item.kind]] != intent.container.id:
        # We would create in one container and look for it in another.
        raise AssertionError(f"item {item.key}: the request's parent is not the intent's")
    params["name"] = intent.name_sent
    if intent.mark is not None:
        params["adlabels"] = [
            *params.get("adlabels", ()),
            {"name": intent.mark.document_part},
        ]
    return CreateRequest(account_id=document.account_id, kind=item.kind, params=params)


def rides_in_name(is_twin: bool, echo: Echo) -> bool:
    """Whether the mark stands in the name as well as in a label."""
    return echo is Echo.LABEL_AND_NAME or (is_twin and echo is not Echo.NONE)


def container_of(item: Item, external_ids: Mapping[str, str]) -> Container:
    """Where the item will be created, and so where it will be looked for."""
    if item.parent_ref is None:
        assert item.parent is not None, f"item {item.key} has no parent"
        return item.parent
    return Container(kind=PARENT_KIND[item.kind], id=external_ids[item.parent_ref])


def resolve_refs(params: Mapping[str, Any], external_ids: Mapping[str, str]) -> dict[str, Any]:
    """A copy of the params in which each reference has become the id it stands for.

    Raises KeyError for an item without an id: a request with a hole must never be sent.
    """
    return {name: _resolved(value, external_ids) for name, value in params.items()}


def _resolved(value: Any, external_ids: Mapping[str, str]) -> Any:
    # Recursion ends: a plan's nesting is bounded when it is read.
    if isinstance(value, Mapping):
        if REF in value:
            return external_ids[value[REF]]
        return resolve_refs(value, external_ids)
    if isinstance(value, list | tuple):
        return [_resolved(part, external_ids) for part in value]
    return value


def complete_params(kind: Kind, params: Mapping[str, Any], parent: object) -> dict[str, Any]:
    """The user's params with what we supply: the parent, and a status for all but creatives."""
    complete = dict(params)
    if kind in PARENT_PARAM:
        complete.setdefault(PARENT_PARAM[kind], parent)
    if kind is not Kind.ADCREATIVE:
        complete.setdefault("status", SAFE_STATUS)
    return complete


def fingerprint(item: Item, params: Mapping[str, Any], container: Container) -> str:
    """SHA-256 of the request, our mark and label apart. `params` have their references resolved."""
    return digest(
        {
            "kind": item.kind.value,
            "name": canonical(item.name),
            "container": {"kind": container.kind.value, "id": container.id},
            "params": complete_params(item.kind, params, container.id),
        }
    )


def warnings_of(item: Item, intent: Intent, row: Row) -> tuple[str, ...]:
    """Where the row differs from what was sent, in sentences. A field the row lacks says nothing.

    We only ever say it: nothing is changed outside (field cases R044, R047).
    """
    compared = (
        ("name", intent.name_sent, row.name),
        ("status", _status_sent(item, intent), row.status),
        ("parent", intent.container.id, row.parent_id),
    )
    return tuple(
        f"{field}: sent {_shown(sent)}, reads {_shown(read)}"
        for field, sent, read in compared
        if sent is not None and read is not None and canonical(sent) != canonical(read)
    )


def is_comparison(warning: str) -> bool:
    """Whether `warnings_of` says such of a row; other warnings tell of what a program did."""
    return warning.startswith(("name: sent ", "status: sent ", "parent: sent "))


def _status_sent(item: Item, intent: Intent) -> str | None:
    """None where no status was sent, or it is not known: an import has names only, no request."""
    if not intent.fingerprint or item.kind is Kind.ADCREATIVE:
        return None
    return str(item.params.get("status", SAFE_STATUS))


def _shown(text: str) -> str:
    """Storable everywhere: NUL and lone surrogates become visible escapes (field case R051)."""
    return text.replace("\0", "\\u0000").encode("utf-8", "backslashreplace").decode("utf-8")
