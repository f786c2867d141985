"""docs/recipes/django.md as it stands there, in a project of Django's own server and commands."""

from __future__ import annotations

import json
import os
import re
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import httpx
import pytest

from fixtures.graph.app import FakeGraph
from tests.crash.plans import ads as plan_of
from tests.e2e.command_line import Ran, Shell
from tests.e2e.gate import Gate
from tests.e2e.recipes.engine_story import PYTHON, Engine, Life, programs_of
from tests.e2e.test_cli_worker import SECONDS_MAX, ads

DJANGO = (str(PYTHON), "-m", "django")
SETTINGS = {"DJANGO_SETTINGS_MODULE": "settings"}
PROJECT = {
    "settings.py": """
SECRET_KEY = "of a test"
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "urls"
INSTALLED_APPS = ["ads"]
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": "app.db",
        "ATOMIC_REQUESTS": True,
        "OPTIONS": {"timeout": 60},
    }
}
""",
    "urls.py": """
from django.urls import path

from ads.views import place, press

urlpatterns = [path("orders", place), path("orders/<int:order>/items/<key>", press)]
""",
    "ads/__init__.py": "",
    "ads/management/__init__.py": "",
    "ads/management/commands/__init__.py": "",
}
"""What a team has already; the application is that of the page."""


@dataclass(frozen=True)
class Project:
    """A Django project, with orders of its own."""

    shell: Shell

    def __post_init__(self) -> None:
        named = {re.match(r'"""(\S+\.py):', one): one for one in programs_of("django.md")}
        parts = {match[1]: one for match, one in named.items() if match}
        assert len(parts) == len(named)
        sdk = {"publish.py": programs_of("official-sdk.md")[0]}
        for name, program in {**PROJECT, **parts, **sdk}.items():
            file = self.shell.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(program)

    def command(self, *arguments: str) -> Ran:
        """`manage.py` to its end."""
        code = {name: place for name, place in os.environ.items() if name == "PYTHONPATH"}
        done = subprocess.run(
            [*DJANGO, *arguments],
            cwd=self.shell.folder,
            env={**code, **self.shell.settings, **SETTINGS},
            capture_output=True,
            text=True,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    @contextmanager
    def serving(self, **settings: str) -> Iterator[tuple[Life, httpx.Client]]:
        """Its server, which has a thread for each request, and somebody who asks."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            place = f"127.0.0.1:{free.getsockname()[1]}"
        command = [*DJANGO, "runserver", "--noreload", "--skip-checks", place]
        given = SETTINGS | settings
        engine = Engine(shell=self.shell, commands=[command], say=lambda _: None, settings=given)
        with (
            engine.running() as life,
            httpx.Client(base_url=f"http://{place}", timeout=SECONDS_MAX) as client,
        ):
            deadline = time.monotonic() + SECONDS_MAX
            while not _answers(client):
                assert life.processes[0].poll() is None, life.said
                assert time.monotonic() < deadline, life.said
            yield life, client

    def known(self) -> dict[str, str]:
        """What stands in its own rows: ids by the names that were ordered."""
        rows = "SELECT plan, key, external_id FROM ads_item JOIN ads_order o ON o.id = order_id"
        with closing(sqlite3.connect(self.shell.folder / "app.db")) as database:
            return {_name(plan, key): one for plan, key, one in database.execute(rows)}

    def order_that_was_not_handed_in(self, name: str) -> None:
        """Of a process that died between the commit and `hand_in`."""
        plan = json.dumps(plan_of(name))
        with closing(sqlite3.connect(self.shell.folder / "app.db")) as database, database:
            added = database.execute("INSERT INTO ads_order (plan) VALUES (?)", (plan,))
            item = "INSERT INTO ads_item (order_id, key) VALUES (?, 'a1')"
            database.execute(item, (added.lastrowid,))


def _name(plan: str, key: str) -> str:
    return str({item["key"]: item["name"] for item in json.loads(plan)["items"]}[key])


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/").status_code == 404
    except httpx.TransportError:
        return False


@pytest.fixture
def project(shell: Shell) -> Project:
    """With the tables of its own."""
    made = Project(shell)
    assert made.command("migrate", "--run-syncdb").code == 0
    return made


def test_a_django_application_makes_each_item_once_through_its_death_in_a_create(
    project: Project, graph: FakeGraph
) -> None:
    """The server dies, and so did one that had not handed in what it accepted; the command goes
    on with both."""
    gate = Gate(graph, after_commit=True)
    with project.serving() as (life, client), ThreadPoolExecutor() as pool:
        order = client.post("/orders", json=plan_of("Spring / 1", "Spring / 2")).json()["order"]
        handed_in = project.shell.run("list", "--json").json["counts"]
        pressed = pool.submit(client.post, f"/orders/{order}/items/a1")
        gate.wait_until_reached()
        life.kill()
        assert isinstance(pressed.exception(), httpx.TransportError)
    gate.open()
    project.order_that_was_not_handed_in("Autumn / 1")
    deadline = time.monotonic() + SECONDS_MAX
    while (ran := project.command("publish_orders")).code != 0:
        assert time.monotonic() < deadline, ran

    assert handed_in["draft"] == 1
    assert ads(graph) == ["Autumn / 1", "Spring / 1", "Spring / 2"], ran
    assert project.known() == made(graph)
    assert ran.err == ""  # it closed the product in order


def test_a_django_view_says_what_became_of_an_item_whoever_presses(
    project: Project, graph: FakeGraph
) -> None:
    """All threads of a server share one product; `until` is told where nobody can know yet."""
    with (
        project.serving(RECONCILER_LISTING_LAG_SECONDS="600") as (life, client),
        ThreadPoolExecutor() as pool,
    ):
        places = [
            f"/orders/{client.post('/orders', json=plan_of(name)).json()['order']}/items/a1"
            for name in ("Winter / 1", "Winter / 2", "Lost", "Refused")
        ]
        once, other, lost, refused = places
        answers = list(pool.map(client.post, [once, other, once, other]))
        graph.faults.add("error_before_commit:method=POST")
        unanswered = [client.post(lost) for _ in range(2)]
        graph.faults.add("validation_error:method=POST")
        certain = client.post(refused)

    ids = [answer.json()["external_id"] for answer in answers]
    assert ids == [made(graph)[name] for name in ("Winter / 1", "Winter / 2")] * 2, life.said
    assert [answer.status_code for answer in unanswered] == [500, 409], life.said
    assert datetime.fromisoformat(unanswered[1].json()["until"]) > datetime.now(UTC)
    assert certain.status_code == 422
    assert ads(graph) == ["Winter / 1", "Winter / 2"]


def made(graph: FakeGraph) -> dict[str, str]:
    """The ids of all that was ever made here, by name."""
    return {one.name: one.id for one in graph.world.log if one.kind == "ad" and one.request}
