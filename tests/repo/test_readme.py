"""What the README and the pages of docs/ say is there, and what is there they say."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from adapters.cli.commands import app
from adapters.cli.decision_file import FIELDS
from adapters.cli.exit_codes import ExitCode
from adapters.cli.failing import SAFE
from adapters.settings import Settings
from reconciler.errors import ReconcilerError
from reconciler.model import DocumentState, Echo, Reason
from reconciler.plan import read_plan
from reconciler.sieves import SIEVES
from reconciler.vetoes import VETOES
from tests.repo.tree import ROOT, repository_files, source

README = source(Path("README.md"))
HOW = source(Path("docs/how-it-works.md"))
PAGES = [Path("README.md"), *(f for f in repository_files() if f.parent == Path("docs"))]

# Design section 2, a line for each demand: a word of its row, in the order of the table.
DEMANDS = {
    "A campaign publisher that recovered by listing": [
        "healthy publish", "to its end", "only remove", "document's container", "names it tried",
        "created after", "more matches", "At most K", "Attributes", "no intents", "residual risk",
        "blind spots", "before the first call", "exact lookup", "duplicates on retry",
    ],
    "A job queue": [
        "never from age", "atomic conditional update", "one attempt", "jitter", "poison",
        "Cancellation", "nothing holds", "delivery guarantee",
    ],
    "A writing tool": [
        "orphaned attempt", "made once where none exists", "separate step", "Repeating recovery",
        "Every cut", "repeated request", "next safe action",
    ],
}  # fmt: skip


def rows(text: str) -> list[list[str]]:
    """The cells of every row of every table, heads and rules left out."""
    lines = [line.strip() for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if not set("".join(row)) <= set("-: ")]


def section(title: str) -> str:
    """What stands under a title, or a bold line, up to the next one."""
    _, _, rest = README.partition(title)
    assert rest, f"nothing is titled {title!r}"
    return re.split(r"\n(?:#|\*\*)", rest, maxsplit=1)[0]


def links(page: Path) -> list[str]:
    """Where a page points inside the repository."""
    found = re.findall(r"\]\(([^)#]+)[^)]*\)", source(page))
    return [target for target in found if "://" not in target]


def commands() -> list[str]:
    """The names as they are typed; one that is not given is its function's."""
    every = app.registered_commands
    return [str(each.name or getattr(each.callback, "__name__", "")) for each in every]


@pytest.mark.parametrize("name", commands())
def test_every_command_has_a_row(name: str) -> None:
    assert any(row[0].startswith(f"`{name}") for row in rows(README))


@pytest.mark.parametrize("number", range(1, 9))
def test_every_assumption_stands_beside_the_promise(number: int) -> None:
    (row,) = [row for row in rows(section("## The promise")) if row[0] == f"A{number}"]

    assert all(row)
    assert row[3] == "not yet" or re.search(r"`tests/\S+\.py::test_\w+`", row[3])


def test_every_test_that_is_named_exists() -> None:
    named = re.findall(r"`(tests/\S+\.py)::(test_\w+)`", README)

    assert named
    missing = [
        f"{file}::{test}"
        for file, test in named
        if not (ROOT / file).is_file() or f"def {test}(" not in source(Path(file))
    ]
    assert missing == []


def test_the_promise_is_quoted_word_by_word() -> None:
    quoted = " ".join(line[2:] for line in README.splitlines() if line.startswith("> "))

    assert "never claims an entity it did not create" in quoted
    assert "never lets two live entities stand for one item" in quoted


def test_every_main_folder_is_on_the_map() -> None:
    folders = {file.parts[0] for file in repository_files() if len(file.parts) > 1}
    shown = {row[0].partition("/")[0].strip("[") for row in rows(section("## Where things are"))}

    assert {folder for folder in folders if not folder.startswith(".")} - shown == set()


@pytest.mark.parametrize("system", DEMANDS)
def test_every_demand_has_a_row_of_its_own(system: str) -> None:
    table = rows(section(f"**{system}"))[1:]

    assert len(table) == len(DEMANDS[system])
    for row, words in zip(table, DEMANDS[system], strict=True):
        assert words in row[0]
        assert row[2].startswith(("works", "not yet"))


def test_every_exit_code_is_told() -> None:
    told = {
        int(code) for row in rows(section("| exit code")) for code in re.findall(r"\d+", row[0])
    }

    assert told == set(ExitCode)


def test_every_state_is_in_the_picture() -> None:
    picture = section("```mermaid")

    assert [state for state in DocumentState if state.value not in picture] == []


def test_every_setting_that_is_named_exists() -> None:
    written = re.findall(r"RECONCILER_[A-Z_]+[A-Z]|`[A-Z]+(?:_[A-Z]+)+`", README)
    named = {name.strip("`").removeprefix("RECONCILER_").lower() for name in written}

    assert named
    assert named - Settings.model_fields.keys() == set()


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert [link for link in links(page) if not (ROOT / page.parent / link).exists()] == []


def test_the_container_of_the_readme_goes_where_it_says() -> None:
    (beside, text) = re.findall(r"level beside `(\w+)`, `(\"container\": {.*?})`", README)[0]
    plan = {
        "account_id": "act_1001",
        "items": [{"key": "a1", "kind": "ad", "name": "Spring / 1", "params": {}}],
        **json.loads(f"{{{text}}}"),
    }

    (item,) = read_plan(plan, echo=Echo.LABEL, source="README.md").items

    assert beside in plan
    assert item.parent is not None
    assert item.parent.id == "2001"


def test_the_plan_of_the_readme_is_accepted() -> None:
    (text,) = re.findall(r"```json\n(.*?)```", README, re.DOTALL)

    accepted = read_plan(json.loads(text), echo=Echo.LABEL, source="README.md")

    assert len(accepted.items) == 3


def test_the_picture_is_whole() -> None:
    assert ET.fromstring(source(Path("docs/funnel.svg"))).tag.endswith("svg")


def test_every_page_of_docs_is_listed() -> None:
    listed = source(Path("docs/README.md"))

    assert [
        page.name
        for page in PAGES[1:]
        if page.name not in {"README.md"} and page.name not in listed
    ] == []


def error_codes(kind: type[ReconcilerError]) -> set[str]:
    """The codes of an error and of all that descend from it."""
    return {kind.code}.union(*map(error_codes, kind.__subclasses__()))


def test_every_error_code_has_a_paragraph() -> None:
    titles = set(re.findall(r"^## `(\w+)`", source(Path("docs/errors.md")), re.MULTILINE))

    assert titles == (error_codes(ReconcilerError) - {"error"}) | SAFE.keys() | {"unexpected"}


def test_every_sieve_veto_and_reason_is_explained() -> None:
    names = [*(sieve.name for sieve in SIEVES), *(veto.name for veto in VETOES)]

    assert [name for name in names if f"| `{name}`" not in HOW] == []
    assert [reason for reason in Reason if f"`{reason.value}`" not in HOW] == []


def test_every_reason_for_which_a_document_is_held_has_its_paragraph_with_a_command() -> None:
    page = source(Path("docs/held.md"))
    paragraphs = dict(re.findall(r"^## `(\w+)`\n\n(.*)$", page, re.MULTILINE))

    assert paragraphs.keys() == {reason.value for reason in Reason}
    assert [name for name, text in paragraphs.items() if "`reconciler " not in text] == []


def test_the_decision_that_is_shown_has_the_fields_that_are_read() -> None:
    (text,) = re.findall(r"```json\n(.*?)```", source(Path("docs/held.md")), re.DOTALL)

    assert set(json.loads(text)) | {"evidence"} == set(FIELDS)
