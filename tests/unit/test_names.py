"""The canonical form of a name, and what a quick look may spare."""

from __future__ import annotations

import json

import pytest

from reconciler.names import canonical, may_read_otherwise, storable, unescaped


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("Spring", "Spring"),
        ("Retargeting  30d ", "Retargeting 30d"),
        ("Retargeting\u00a030d", "Retargeting 30d"),
        ("\tSpring\r\nSale\u2003", "Spring Sale"),
        ("E\u0301te\u0301 – Lyon", "Été – Lyon"),
        ("  ", ""),
        ("", ""),
    ],
)
def test_a_name_has_one_canonical_form(name: str, form: str) -> None:
    """R048 (normal forms), R049 (white space, NBSP included)."""
    assert canonical(name) == form
    assert canonical(form) == form


@pytest.mark.parametrize(
    "name",
    ["É", "🇫🇷 👩‍👩‍👧 Soldes", "50% & plus+more #1", "100%25", "a+b", "&amp;", "Spring", "spring"],
)
def test_what_is_canonical_already_is_left_byte_for_byte(name: str) -> None:
    """R050: no percent, plus or entity is decoded, and case matters."""
    assert canonical(name).encode() == name.encode()


@pytest.mark.parametrize(
    ("name", "reads_as"),
    [
        ("Tom &amp; Jerry", "Tom & Jerry"),
        ("&quot;A&quot; &#39;B&#39; &lt;C&gt;", "\"A\" 'B' <C>"),
        ("A&nbsp;B", "A B"),
        ("Tom & Jerry", "Tom & Jerry"),
        ("&amp;amp;", "&amp;"),
        ("E\u0301", "É"),
    ],
)
def test_an_escaped_name_reads_as_what_it_was(name: str, reads_as: str) -> None:
    assert unescaped(name) == reads_as


@pytest.mark.parametrize(
    ("name", "may"),
    [
        ("Spring / 1 (new)", False),
        ("", False),
        ("Spring  Sale", True),
        (" Spring", True),
        ("Spring ", True),
        ("Spring\tSale", True),
        ("Tom &amp; Jerry", True),
        ("Spring [x", True),
        ("Été", True),
        ("Spring\n", True),
    ],
)
def test_a_quick_look_says_where_a_closer_one_is_needed(name: str, may: bool) -> None:
    assert may_read_otherwise(name) is may


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("a\x00b", "a\\u0000b"),
        ("\ud83d", "\\ud83d"),
        ("\udfff\ud800", "\\udfff\\ud800"),
        ("🇫🇷 Été", "🇫🇷 Été"),
    ],
)
def test_what_a_database_refuses_is_made_visible(text: str, stored: str) -> None:
    """R051."""
    assert storable(text) == stored
    assert json.dumps(storable(text), ensure_ascii=False).encode()
