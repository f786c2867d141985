"""A pretend API on a socket, and a shell with a migrated ledger."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.graph.answering import AnsweringOptions
from fixtures.graph.app import FakeGraph
from fixtures.graph.scene import small_world
from fixtures.graph.socket_server import running_fake
from tests.databases import new_file
from tests.e2e.command_line import QUICK, TOKEN, Shell


@pytest.fixture
def graph() -> FakeGraph:
    """The pretend API, with its truth."""
    return FakeGraph(small_world(), options=AnsweringOptions(tokens={TOKEN: TOKEN}))


@pytest.fixture
def bare_shell(graph: FakeGraph, tmp_path: Path) -> Iterator[Shell]:
    """A shell whose ledger is not there yet."""
    with running_fake(graph) as url:
        folder = tmp_path / "shell"
        folder.mkdir()
        place = {"RECONCILER_GRAPH_URL": url, "RECONCILER_GRAPH_TOKEN": TOKEN}
        yield Shell(folder, {**QUICK, **place})


@pytest.fixture
def shell(bare_shell: Shell) -> Shell:
    """A shell with a ledger, as `reconciler migrate` makes it."""
    new_file(
        bare_shell.folder, "reconciler.db", graph_url=bare_shell.settings["RECONCILER_GRAPH_URL"]
    )
    return bare_shell
