"""Imported ids are foreign text: a command that is printed about one can be pasted as it is."""

import shlex

import pytest

from fixtures.graph.app import FakeGraph
from tests.e2e.command_line import Shell
from tests.e2e.old_documents import IMPORT, file_of, finished, line, made


@pytest.mark.parametrize("name", ["job 7; touch PWNED", "$(touch PWNED)", "-o'b \"$HOME", "--help"])
def test_the_printed_command_of_any_imported_id_is_about_its_document(
    shell: Shell, graph: FakeGraph, name: str
) -> None:
    made(graph, "A")
    old = file_of(shell, line(name, "A"), finished("healthy", B="120210000000000099"))
    assert shell.run("import", old, *IMPORT).code == 0
    shown = shell.run("show", "--no-recover", "--json", "--", name).json

    command = shlex.split(shown["next"]["command"])
    looked = shell.run(*command[1:])

    assert command[:2] == ["reconciler", "recover"]
    assert looked.code == 0, looked
    assert shell.run("show", "--json", "--", name).json["state"] == "published"
