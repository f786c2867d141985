"""What a row bears, compared with what an intent was sent with: the questions the sieves ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .candidate import Candidate, bare_account
from .claimant import Claimant

NOBODY: Final[frozenset[str]] = frozenset()

# --- bound -------------------------------------------------------------------------------------


def is_bound_to_a_sibling(us: Claimant, row: Candidate) -> bool:
    """Creatives apart: two creates may be answered with one id (facts 4.9)."""
    return not us.is_creative and bool(_siblings_known_by_its_id(us, row))


def is_bound_elsewhere_for_good(us: Claimant, row: Candidate) -> bool:
    """By reply, mark or person."""
    return _is_bound_elsewhere(us, row, proven=True)


def is_bound_elsewhere_by_name_and_time(us: Claimant, row: Candidate) -> bool:
    """Strong, not proof: the other document may be wrong."""
    return _is_bound_elsewhere(us, row, proven=False)


def _is_bound_elsewhere(us: Claimant, row: Candidate, *, proven: bool) -> bool:
    binding = us.bindings.get(row.row.id)
    if binding is None or us.is_creative:
        return False
    its = (binding.document_id, binding.item)
    return its != (us.document_id, us.item) and binding.grade.is_proof is proven


def _siblings_known_by_its_id(us: Claimant, row: Candidate) -> frozenset[str]:
    return us.known_here.get(row.row.id, NOBODY) - {us.item}


# --- container ---------------------------------------------------------------------------------


def is_of_another_kind(us: Claimant, row: Candidate) -> bool:
    """The walk says what kind it listed; no field can be wrong about it."""
    return row.row.kind is not us.intent.kind


def is_elsewhere_unmarked(us: Claimant, row: Candidate) -> bool:
    """Another account or parent."""
    return is_elsewhere(us, row) and not is_ours(us, row)


def is_elsewhere(us: Claimant, row: Candidate) -> bool:
    """A field that says another account or parent; one that is missing says nothing."""
    container = us.intent.container
    other_account = row.account_id not in ("", bare_account(us.account_id))
    return other_account or row.parent_in(container) not in ("", bare_account(container.id))


def lacks_a_field(us: Claimant, row: Candidate) -> bool:
    """Without account, parent and name nothing can be compared (R035)."""
    return not (row.account_id and row.parent_in(us.intent.container) and row.names)


# --- mark --------------------------------------------------------------------------------------


def is_ours(us: Claimant, row: Candidate) -> bool:
    """Whether the row bears a mark of our document, anywhere."""
    return us.part in row.parts


def bears_only_foreign_marks(us: Claimant, row: Candidate) -> bool:
    """Another document's or install's readable mark, and none of ours."""
    return bool(row.parts) and not is_ours(us, row)


def bears_a_siblings_mark(us: Claimant, row: Candidate) -> bool:
    """The whole mark of another item."""
    return any(
        part == us.part and us.item_of_part.get(item_part, us.item) != us.item
        for part, item_part in row.item_parts
    )


def is_unmarked_where_marks_show(us: Claimant, row: Candidate) -> bool:
    """A5: where one row shows its labels, every row does."""
    return us.echo_proven and is_unmarked(us, row)


def bears_a_mark_never_sent(us: Claimant, row: Candidate) -> bool:
    """This document's mark on a row, for a call that was sent without."""
    return us.intent.mark is None and is_ours(us, row)


def is_unmarked(us: Claimant, row: Candidate) -> bool:
    """No trace of any mark, for a call that was sent with one."""
    return us.intent.mark is not None and not row.parts and not _shows_half_a_mark(us, row)


def bears_an_unreadable_mark(us: Claimant, row: Candidate) -> bool:
    """Cut or edited: perhaps ours. Where ours is readable beside it nothing is lost."""
    return _shows_half_a_mark(us, row) and not is_ours(us, row)


def _shows_half_a_mark(us: Claimant, row: Candidate) -> bool:
    """What only looks like a mark in the very name that was sent is the user's own."""
    in_name = row.unreadable_name and us.intent.name not in row.names
    return row.unreadable_label or in_name


def bears_two_documents_marks(_: Claimant, row: Candidate) -> bool:
    """Somebody edited one of them in."""
    return len(row.parts) > 1


def is_an_older_twins(us: Claimant, row: Candidate) -> bool:
    """Our label on the plain name, as a twin still lacking its entity was sent; we were sent with
    the whole mark, which nobody has taken away (assumption A5)."""
    plain = us.intent.name in us.lacking_plain_names and row.reads_as(us.intent.name)
    return us.whole_mark is not None and plain and is_ours(us, row) and not row.item_parts


def bears_our_mark_otherwise(us: Claimant, row: Candidate) -> bool:
    """Our mark in the label only where the name was sent with it, or the reverse."""
    sent = {us.whole_mark} if us.whole_mark else set()
    return is_ours(us, row) and row.item_parts != sent


# --- copy --------------------------------------------------------------------------------------


def is_a_copy(_: Claimant, row: Candidate) -> bool:
    """A copy inherits name and labels, and its source field tells (facts 4.21, 4.27)."""
    return row.is_copy


# --- name --------------------------------------------------------------------------------------


def has_another_name_unmarked(us: Claimant, row: Candidate) -> bool:
    """A missing name is not another one; a cut mark is not part of the name."""
    ours = has_our_name(us, row) or us.intent.name in row.cut_names
    return bool(row.names) and not ours and not is_ours(us, row)


def has_a_name_still_lacking(us: Claimant, row: Candidate) -> bool:
    """The name of another item that lacks its entity. Our whole mark says more than a name."""
    return not has_our_name(us, row) and _could_be_a_siblings(us, row)


def is_a_siblings_by_id_and_name(us: Claimant, row: Candidate) -> bool:
    """For creatives, whose ids prove nothing alone: known as another item's and named like it."""
    known = _siblings_known_by_its_id(us, row)
    its_name = any(row.reads_as(us.names[key]) for key in known)
    return its_name and not has_our_name(us, row) and not _bears_our_whole_mark(us, row)


def has_another_name_marked(us: Claimant, row: Candidate) -> bool:
    """Our mark under a name that is nobody's."""
    return is_ours(us, row) and not has_our_name(us, row)


def reads_as_two_names(us: Claimant, row: Candidate) -> bool:
    """`A &amp; B` may be itself, or `A & B` escaped; a document may want both."""
    return has_our_name(us, row) and _could_be_a_siblings(us, row)


def has_our_name_escaped_unmarked(us: Claimant, row: Candidate) -> bool:
    """Equal after unescaping only: a server that escapes, or another entity."""
    return not is_ours(us, row) and us.intent.name not in row.names


def has_our_name(us: Claimant, row: Candidate) -> bool:
    """As it stands, or after HTML unescaping."""
    return row.reads_as(us.intent.name)


def _could_be_a_siblings(us: Claimant, row: Candidate) -> bool:
    others = (row.all_names & us.lacking_names) - {us.intent.name}
    return bool(others) and not _bears_our_whole_mark(us, row)


def _bears_our_whole_mark(us: Claimant, row: Candidate) -> bool:
    return us.whole_mark in row.item_parts


# --- created, provenance -----------------------------------------------------------------------


def is_outside_unmarked(us: Claimant, row: Candidate) -> bool:
    """Before our first call or after our last could have landed."""
    return is_outside(us, row) and not is_ours(us, row)


def is_outside(us: Claimant, row: Candidate) -> bool:
    """A readable time that lies in none of the windows, their ends included."""
    at = row.created_at
    if at is None or us.is_creative:
        return False
    return not any(start <= at <= end for start, end in us.windows)


def has_no_readable_time(us: Claimant, row: Candidate) -> bool:
    """Missing, unreadable or without a zone: not guessed (R056). Creatives have none (4E)."""
    return row.created_at is None and not us.is_creative


def is_another_apps(us: Claimant, row: Candidate) -> bool:
    """The log names an app, and it is not ours."""
    return _app_of(us, row) not in (None, us.app_id)


def is_in_no_log(us: Claimant, row: Candidate) -> bool:
    """The log must tell and does not, or could not be read: it may lag (facts 6.10)."""
    return us.log_must_tell and _app_of(us, row) is None


def is_our_apps(us: Claimant, row: Candidate) -> bool:
    """The log names our app. Which run of it, it does not say (facts 6.9)."""
    return _app_of(us, row) is not None and not is_another_apps(us, row)


def _app_of(us: Claimant, row: Candidate) -> str | None:
    if us.log is None or us.app_id is None:
        return None
    return us.log.get(row.row.id)


# --- what was compared, for the evidence -------------------------------------------------------


def binding_shown(us: Claimant, row: Candidate) -> Mapping[str, Any]:
    """Which items the id is known as, and what it is bound to."""
    found = us.bindings.get(row.row.id)
    return {
        "known_as": sorted(us.known_here.get(row.row.id, NOBODY)),
        "bound_to": found and [found.document_id, found.item, found.grade.value],
    }


def container_shown(us: Claimant, row: Candidate) -> Mapping[str, Any]:
    """Each pair: the row's, the intent's."""
    return {
        "account": [row.row.account_id, us.account_id],
        "parent": [row.parent_in(us.intent.container) or None, us.intent.container.id],
        "name": row.row.name,
    }


def marks_shown(us: Claimant, row: Candidate) -> Mapping[str, Any]:
    """Labels and name of the row, and what was sent."""
    return {
        "labels": sorted(row.row.labels),
        "name": row.row.name,
        "label_sent": us.intent.mark and us.intent.mark.document_part,
        "name_sent": us.intent.name_sent,
    }


def source_shown(_: Claimant, row: Candidate) -> Mapping[str, Any]:
    """What it was copied from."""
    return {"source_id": row.row.source_id}


def names_shown(us: Claimant, row: Candidate) -> Mapping[str, Any]:
    """The row's name and the one sent."""
    return {"name": row.row.name, "name_sent": us.intent.name_sent}


def times_shown(us: Claimant, row: Candidate) -> Mapping[str, Any]:
    """The row's creation time as it came, and the windows."""
    windows = [[start.isoformat(), end.isoformat()] for start, end in us.windows]
    return {"created_time": row.row.created_time, "window": windows}


def apps_shown(us: Claimant, row: Candidate) -> Mapping[str, Any]:
    """The app in the log, and ours."""
    return {"app": _app_of(us, row), "our_app": us.app_id}
