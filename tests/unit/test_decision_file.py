"""A file of decisions as it is read: in CSV as documented, and what else is said of a cell."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adapters.cli.decision_file import ALSO_IN_CSV, Malformed, Read, decisions_of
from reconciler.resolve_decision import Choice
from tests.repo.tree import source

HEAD = "document_id,item,decision,external_id,also,override,reason"


def read(tmp_path: Path, name: str, text: str) -> list[Read | Malformed]:
    file = tmp_path / name
    file.write_text(text)
    return list(decisions_of(str(file), by="a person"))


def test_the_csv_that_is_shown_is_read_as_it_says(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```csv\n(.*?)```", source(Path("docs/held.md")), re.DOTALL)

    adopted, none = read(tmp_path, "d.csv", shown.replace("TEXT", "seen in Ads Manager"))

    assert isinstance(adopted, Read)
    assert isinstance(none, Read)
    assert adopted.decision.choice is Choice.ADOPT
    assert (adopted.decision.external_id, adopted.decision.also) == ("1202", ("1203", "1204"))
    assert (none.decision.choice, none.decision.also) == (Choice.NONE, ())


@pytest.mark.parametrize("cell", ["[]", '"[""1203""]"', '"1203,1204"', "1203;1204"])
def test_a_list_of_another_form_is_told_the_form_that_it_has_in_csv(
    tmp_path: Path, cell: str
) -> None:
    (line,) = read(tmp_path, "d.csv", f"{HEAD}\nID,a1,adopt,1202,{cell},,seen there\n")

    assert line == Malformed(line=2, problem=ALSO_IN_CSV)


def test_no_list_in_json_is_told_the_form_that_it_has_there(tmp_path: Path) -> None:
    text = '{"document_id": "ID", "item": "a1", "decision": "adopt", "external_id": "1202", '

    (line,) = read(tmp_path, "d.jsonl", text + '"also": {}, "reason": "seen there"}\n')

    assert isinstance(line, Malformed)
    assert "[] where there is none" in line.problem


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_a_byte_that_is_no_utf8_spoils_its_own_line_alone(tmp_path: Path, ending: str) -> None:
    """As a spreadsheet may save an umlaut; the lines around it are decisions as before."""
    lines = {
        "jsonl": b'{"document_id":"d%d","item":"a","decision":"hold","reason":"%s"}\n',
        "csv": b"d%d,a,hold,%s\n",
    }[ending]
    head = b"document_id,item,decision,reason\n" if ending == "csv" else b""
    file = tmp_path / f"decisions.{ending}"
    reasons = [b"fine", b"sch\xf6n", "schön".encode()]
    file.write_bytes(head + b"".join(lines % (n, why) for n, why in enumerate(reasons)))

    first, spoilt, last = decisions_of(str(file), by="a person")

    assert isinstance(spoilt, Malformed)
    assert "no UTF-8" in spoilt.problem
    assert spoilt.line == (3 if ending == "csv" else 2)
    assert isinstance(first, Read)
    assert isinstance(last, Read)
    assert last.decision.reason == "schön"
