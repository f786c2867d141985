"""The mark as it is sent, and what can be read of one that comes back."""

from __future__ import annotations

import pytest

from reconciler.mark import (
    ALPHABET,
    DOCUMENT_PART_LENGTH,
    DOCUMENT_PREFIX,
    ITEM_PART_LENGTH,
    NAME_MARK_LENGTH,
    Mark,
    MarksSeen,
    has_mark_form,
    looks_like_a_mark,
    marks_of,
    split_name,
    without_cut_mark,
)

PART = "rc1-abcdefghijklmnop"
OTHER = "rc1-qrstuvwxyz234567"
MARK = Mark(PART, "aaaaaa")


def test_a_name_mark_is_thirty_characters_at_the_end() -> None:
    assert MARK.as_name_suffix() == " [rc1-abcdefghijklmnop.aaaaaa]"
    assert len(MARK.as_name_suffix()) == NAME_MARK_LENGTH
    assert len(PART) == len(DOCUMENT_PREFIX) + DOCUMENT_PART_LENGTH
    assert len(MARK.item_part) == ITEM_PART_LENGTH


def test_every_letter_of_the_alphabet_may_stand_in_a_mark() -> None:
    assert len(ALPHABET) == 32
    assert all(has_mark_form(DOCUMENT_PREFIX + letter * 16) for letter in ALPHABET)


@pytest.mark.parametrize("name", ["Spring", "Spring [1]", "", "Été – Lyon", "a [rc1-x.y]"])
def test_what_was_sent_is_read_back(name: str) -> None:
    assert split_name(name + MARK.as_name_suffix()) == (name, MARK)


@pytest.mark.parametrize("tail", ["", " ", "\n", "\u00a0"])
def test_white_space_behind_a_mark_does_not_hide_it(tail: str) -> None:
    assert split_name("Spring" + MARK.as_name_suffix() + tail) == ("Spring", MARK)


def test_any_white_space_may_stand_before_a_mark() -> None:
    assert split_name("Spring\u00a0[rc1-abcdefghijklmnop.aaaaaa]") == ("Spring", MARK)


@pytest.mark.parametrize(
    "name",
    [
        "Spring",
        "Spring[rc1-abcdefghijklmnop.aaaaaa]",
        "Spring [rc1-abcdefghijklmnop.aaaaa]",
        "Spring [rc1-abcdefghijklmnop.aaaaaaa]",
        "Spring [rc1-abcdefghijklmno.aaaaaa]",
        "Spring [RC1-abcdefghijklmnop.aaaaaa]",
        "Spring [rc1-abcdefghijklmnop.aaaaa1]",
        "Spring [rc1-abcdefghijklmnop.aaaaaa] 2",
        "Spring [rc2-abcdefghijklmnop.aaaaaa]",
    ],
)
def test_anything_else_is_not_a_readable_mark(name: str) -> None:
    assert split_name(name) == (name, None)


@pytest.mark.parametrize(
    ("label", "is_one"),
    [
        (PART, True),
        (PART + "a", False),
        (PART[:-1], False),
        (PART.upper(), False),
        (" " + PART, False),
        (PART + "\n", False),
        ("rc1-abcdefghijklmno1", False),
        ("", False),
    ],
)
def test_a_label_has_the_form_of_a_document_part_or_not(label: str, is_one: bool) -> None:
    assert has_mark_form(label) is is_one


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("rc1-", True),
        ("RC1-launch", True),
        ("Spring [rc1-aaaa", True),
        ("Spring rc1-aaaa", True),
        ("src1-launch", False),
        ("3rc1-launch", False),
        ("rc2-launch", False),
        ("", False),
    ],
)
def test_what_has_the_look_of_a_mark(text: str, looks: bool) -> None:
    assert looks_like_a_mark(text) is looks


@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("Spring [rc1-aaaa", "Spring"),
        ("Spring [RC1-AAAA.bb] and more\nlines", "Spring"),
        ("Spring", "Spring"),
        ("Spring rc1-aaaa", "Spring rc1-aaaa"),
    ],
)
def test_a_name_up_to_a_cut_mark(name: str, before: str) -> None:
    assert without_cut_mark(name) == before


def test_all_marks_of_a_row_are_read_from_labels_and_name() -> None:
    seen = marks_of("Spring" + MARK.as_name_suffix(), (OTHER, "theirs"))

    assert seen.label_parts == {OTHER}
    assert seen.item_parts == {(PART, "aaaaaa")}
    assert seen.document_parts == {PART, OTHER}
    assert (seen.unreadable_label, seen.unreadable_name) == (False, False)


@pytest.mark.parametrize(
    ("name", "labels", "in_label", "in_name"),
    [
        ("Spring [rc1-aaaa", (), False, True),
        ("Spring", ("rc1-aaaa",), True, False),
        ("Spring", (PART, "RC1-other"), True, False),
        ("Spring [rc1-aa] [rc1-abcdefghijklmnop.aaaaaa]", (), False, True),
    ],
)
def test_what_cannot_be_read_is_noticed_beside_what_can(
    name: str, labels: tuple[str, ...], *, in_label: bool, in_name: bool
) -> None:
    seen = marks_of(name, labels)

    assert (seen.unreadable_label, seen.unreadable_name) == (in_label, in_name)


@pytest.mark.parametrize("name", [None, "", "Spring", "src1-launch"])
def test_a_row_without_a_mark_shows_none(name: str | None) -> None:
    seen = marks_of(name, ("theirs",))

    assert seen == MarksSeen(
        frozenset(), frozenset(), unreadable_label=False, unreadable_name=False
    )
