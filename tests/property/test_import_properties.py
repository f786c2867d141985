"""What holds of any import: no traceback, nothing lost, nothing twice, no order that matters."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adapters.legacy.csv_rows import csv_rows
from adapters.legacy.jsonl import json_lines
from fixtures.stage import Stage
from reconciler.errors import InvalidImport
from reconciler.imported_lines import RawLine, Reading
from reconciler.model import Document
from tests.e2e.command_line import Shell
from tests.integration.elsewhere import Elsewhere
from tests.unit.elsewhere_lines import CREATED, FINISHED, NOW, STARTED, line

HEAD = (
    "document_id,account_id,container_kind,container_id,kind,created_at,names,recorded,"
    "publish_started_at\n"
)
LINE = json.dumps(line()) + "\n"
ROW = f'1,1001,adset,2001,ad,{CREATED},"[""A""]",[],{STARTED}\n'

Reader = Callable[[bytes], Iterator[RawLine]]


def as_json(content: bytes) -> Iterator[RawLine]:
    return json_lines(io.BytesIO(content))


def as_csv(content: bytes) -> Iterator[RawLine]:
    return csv_rows(io.BytesIO(content), "a file")


def told(lines: Iterable[RawLine]) -> None:
    """Every line stands in one group, in order, and each fault names a line of its group."""
    seen: list[int] = []
    for group in Reading(NOW).records(lines):
        numbers = [raw.number for raw in group.raws]
        seen += numbers
        assert (group.record is None) is bool(group.refused)
        assert {one.line for one in group.refused} <= set(numbers)
        assert not group.refused or {one.line for one in group.refused} == set(numbers)
        assert all(one.field and ";" in one.reason for one in group.refused)
    assert seen == sorted(set(seen))


pieces = st.sampled_from(
    [
        *(LINE.encode(), ROW.encode(), HEAD.encode(), b"\n", b"\r\n", b"\xef\xbb\xbf", b"\xff"),
        *(b'"', b",", b"\x00", b"{}", b"[" * 2_000, b'{"a":1,"a":2}', b'"\\ud800"', b"9" * 5_000),
        *(b"NaN", b"null", b'{"document_id":1}', b"1e999", b"\xc3", b"'"),
    ]
)
files = st.lists(pieces | st.binary(max_size=30), max_size=12).map(b"".join)


@pytest.mark.parametrize("read", [as_json, as_csv])
@given(content=files)
@example(content=b"")
@example(content=b"\xff\xfe{\x00}\x00")
@example(content=HEAD.encode() + b'"\n' * 9)
@example(content=HEAD.encode() + ROW.encode().rstrip(b"\n"))
@example(content=HEAD.encode() + b'1,"a\x00b"\n')
def test_any_bytes_are_read_or_refused_with_a_number_and_a_reason(
    read: Reader, content: bytes
) -> None:
    with suppress(InvalidImport):  # nothing of it can be read: another encoding, no head
        told(read(content))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@given(key=st.sampled_from(sorted(line())), value=json_values, values=st.lists(json_values))
def test_any_value_of_any_field_is_read_or_refused(key: str, value: Any, values: list[Any]) -> None:
    lines = [line(**{key: value}), *values]

    told(RawLine(number=at, text="", value=each) for at, each in enumerate(lines, 1))


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "end"])
def test_line_ends_marks_and_blank_lines_change_nothing(ending: str, last: str) -> None:
    text = f"\ufeff{LINE.strip()}{ending}{ending}   {ending}{LINE.strip()}{ending if last else ''}"

    lines = list(as_json(text.encode()))

    assert [one.number for one in lines] == [1, 4]
    assert [one.value for one in lines] == [line(), line()]


# --- twice, and in any order ---------------------------------------------------------------------


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """A document in any state, with few names and few ids, so that they clash."""
    names = draw(st.lists(st.sampled_from(["A", "B"]), min_size=1, max_size=3))
    ids = st.sampled_from(["901", "902", "903", None])
    recorded = [
        {"name": name, "external_id": each} for name in names if (each := draw(ids)) is not None
    ]
    return line(
        document_id=draw(st.sampled_from(["1", "2", "3", "4"])),
        names=names,
        recorded=recorded,
        publish_started_at=draw(st.sampled_from([STARTED, None])),
        publish_finished_at=draw(st.sampled_from([FINISHED, None])),
        last_seen_at=draw(st.sampled_from([None, "2026-03-10T13:30:00Z"])),
    )


def imported(*files: list[dict[str, Any]]) -> tuple[list[tuple[int, int, int]], list[Document]]:
    """Accepted, unchanged and refused of each file in turn, and all documents at the end."""
    stage = Stage()
    stage.time.pass_(timedelta(hours=2))
    elsewhere = Elsewhere(stage)
    counts = []
    for lines in files:
        done = elsewhere.imports(*lines, gone_before=stage.time.now() - timedelta(hours=1))
        counts.append((done.accepted, done.unchanged, done.refused))
    found = stage.time.run(stage.ledger.exported(limit=100))
    stage.close()
    return counts, list(found)


@given(lines=st.lists(documents(), max_size=8))
def test_the_same_file_again_changes_nothing(lines: list[dict[str, Any]]) -> None:
    once, stored = imported(lines)
    twice, after = imported(lines, lines)

    (first, again) = twice
    assert once == [first]
    assert again[0] == 0
    assert [(one.id, one.state, one.items) for one in after] == [
        (one.id, one.state, one.items) for one in stored
    ]


@given(lines=st.lists(documents(), max_size=8), chance=st.randoms(use_true_random=False))
def test_the_order_of_documents_decides_nothing_but_which_of_two_that_clash_is_refused(
    lines: list[dict[str, Any]], chance: Any
) -> None:
    alone = {each["document_id"]: each for each in lines}
    ids = [pair["external_id"] for each in alone.values() for pair in each["recorded"]]
    apart = [
        each
        for each in alone.values()
        if not any(ids.count(pair["external_id"]) > 1 for pair in each["recorded"])
    ]
    shuffled = chance.sample(apart, len(apart))

    (counts, stored), (other_counts, other) = imported(apart), imported(shuffled)

    assert counts == other_counts
    assert stored == other


@given(lines=st.lists(documents(), max_size=8))
def test_no_id_ever_stands_for_two_items(lines: list[dict[str, Any]]) -> None:
    _, stored = imported(lines, lines[::-1])

    bound = [item.intent.external_id for one in stored for item in one.items if item.intent]
    known = [each for each in bound if each is not None]
    assert len(known) == len(set(known))


# --- by command ----------------------------------------------------------------------------------


@settings(max_examples=15)
@given(content=files, form=st.sampled_from(["jsonl", "csv"]))
@example(content=b"[" * 100_000, form="jsonl")
@example(content=b'{"document_id": ' + b"9" * 5_000 + b"}", form="jsonl")
@example(content=HEAD.encode() + b'"' + b"x" * 200_000, form="csv")
def test_any_file_ends_in_a_code_that_is_documented_and_never_in_a_traceback(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, form: str
) -> None:
    folder: Path = tmp_path_factory.mktemp("import")
    shell = Shell(folder, {"RECONCILER_GRAPH_URL": "http://127.0.0.1:1"})
    assert shell.run("migrate").code == 0
    (folder / "old").write_bytes(content)

    ran = shell.run(
        *("import", "old", "--format", form, "--worker-gone-before", "2026-05-01T00:00:00Z")
    )

    assert ran.code in (0, 1, 4), ran
    assert "Traceback" not in ran.err + ran.out
    assert "unexpected" not in ran.err
    if ran.code == 4:
        assert "line " in ran.out
