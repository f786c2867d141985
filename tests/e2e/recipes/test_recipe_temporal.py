"""docs/recipes/temporal.md as it stands there, on real processes."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import time
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from temporalio.client import Client

from fixtures.graph.app import FakeGraph
from tests.e2e.command_line import Shell
from tests.e2e.recipes.engine_story import (
    PYTHON,
    Engine,
    an_engine_that_is_killed_and_says_everything_thrice_makes_each_item_once,
    programs_of,
)

STARTS_WITHIN_SECONDS = 60
SERVER = (str(PYTHON.with_name("temporal")), "server", "start-dev", "--headless")
IN_PRIVATE = {"TEMPORAL_VERSION_CHECK_DISABLED": "1"}
"""Else it asks its makers for news."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of Temporal's own server, with everything in memory."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    place = ("--ip", "127.0.0.1", "--port", str(port))
    with (
        (tmp_path / "temporal.log").open("wb") as log,
        subprocess.Popen(
            [*SERVER, *place],
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), **IN_PRIVATE},
            stdout=log,
            stderr=log,
        ) as process,
    ):
        try:
            asyncio.run(until_it_serves(f"127.0.0.1:{port}", process))
            yield f"127.0.0.1:{port}"
        finally:
            process.kill()


async def until_it_serves(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + STARTS_WITHIN_SECONDS
    while True:
        assert process.poll() is None, "the server ended at once"
        try:
            await Client.connect(address)
            return
        except RuntimeError:
            assert time.monotonic() < deadline, "the server does not serve"


def test_temporal_drives_documents_through_its_death(
    shell: Shell, graph: FakeGraph, server: str
) -> None:
    (program,) = programs_of("temporal.md")
    (shell.folder / "documents.py").write_text(program)

    def say(ids: Sequence[str]) -> None:
        """Each time as a workflow of its own: Temporal itself would join those of one id."""

        async def story() -> None:
            client = await Client.connect(server)
            for document_id in ids:
                name = f"{document_id}-{uuid.uuid4()}"
                await client.start_workflow("Drive", document_id, id=name, task_queue="documents")

        asyncio.run(story())

    engine = Engine(
        shell=shell,
        commands=[[str(PYTHON), "documents.py"]],
        say=say,
        settings={"TEMPORAL_ADDRESS": server},
    )

    an_engine_that_is_killed_and_says_everything_thrice_makes_each_item_once(engine, graph)
