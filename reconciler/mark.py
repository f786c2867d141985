"""The mark: our unguessable client token, as the API echoes it in a label or at a name's end.

A mark is `<document part>.<item part>`. The document part is the name of one ad label that every
entity of a document bears; the whole mark may also stand at the end of a name, in brackets. What
has the form of a mark and is not ours is somebody else's readable mark (design, section 3).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from .copying import quick

ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz234567"
"""Base 32 in lower case: survives every case-keeping store and needs no escaping."""

DOCUMENT_PREFIX: Final = "rc1-"
DOCUMENT_PART_LENGTH: Final = 16  # 80 bits: not guessable, short enough for a label
ITEM_PART_LENGTH: Final = 6
NAME_MARK_LENGTH: Final = 30
"""` [rc1-` + 16 + `.` + 6 + `]`: what a twin's name must leave free of its 400 characters."""

_DOCUMENT_PART: Final = re.compile(r"rc1-[a-z2-7]{16}")
_NAME_MARK: Final = re.compile(r"\s\[(rc1-[a-z2-7]{16})\.([a-z2-7]{6})\]\s*\Z")
# Not after a letter or digit: "src1-" in somebody's name is no trace of ours.
_TRACE: Final = re.compile(r"(?<![a-z0-9])rc1-", re.IGNORECASE)
_CUT_MARK: Final = re.compile(r"\s\[rc1-.*\Z", re.IGNORECASE | re.DOTALL)


@quick
@dataclass(frozen=True, slots=True)
class Mark:
    """One intent's mark, as it was sent."""

    document_part: str
    item_part: str

    def as_name_suffix(self) -> str:
        """The 30 characters that a name carries."""
        return f" [{self.document_part}.{self.item_part}]"


@quick
@dataclass(frozen=True, slots=True)
class MarksSeen:
    """What marks one row shows.

    `label_parts` holds the document parts read from labels, `item_parts` the whole marks read from
    the name. `unreadable_label` and `unreadable_name` are set where something has the look of a
    mark and cannot be read (cut, edited, or of another case). A user's own name may have it too.
    """

    label_parts: frozenset[str]
    item_parts: frozenset[tuple[str, str]]
    unreadable_label: bool
    unreadable_name: bool

    @property
    def document_parts(self) -> frozenset[str]:
        """Every readable document part, wherever it stands."""
        return self.label_parts | {document_part for document_part, _ in self.item_parts}


def has_mark_form(label: str) -> bool:
    """Whether a label's name is of a document part's form; such a label is refused in a plan."""
    return _DOCUMENT_PART.fullmatch(label) is not None


def split_name(name: str) -> tuple[str, Mark | None]:
    """The name without its mark, and the mark, where the name ends in a readable one."""
    found = _NAME_MARK.search(name)
    if found is None:
        return name, None
    return name[: found.start()], Mark(found.group(1), found.group(2))


def without_cut_mark(name: str) -> str:
    """The name up to a mark at its end that was cut or edited: what it was before, if it was ours.

    For names whose mark `split_name` cannot read.
    """
    return _CUT_MARK.sub("", name)


def looks_like_a_mark(text: str) -> bool:
    """Whether any part of the text has the beginning of a mark, readable or not."""
    return _TRACE.search(text) is not None


def marks_of(name: str | None, labels: tuple[str, ...]) -> MarksSeen:
    """Read every mark of a row from its name (None if missing) and the names of its labels."""
    rest, in_name = split_name(name or "")
    readable = frozenset(label for label in labels if has_mark_form(label))
    return MarksSeen(
        label_parts=readable,
        item_parts=frozenset({(in_name.document_part, in_name.item_part)} if in_name else ()),
        unreadable_label=any(map(looks_like_a_mark, set(labels) - readable)),
        unreadable_name=looks_like_a_mark(rest),
    )
