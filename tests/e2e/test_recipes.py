"""The programs of docs/recipes, run as they stand there, against the pretend API."""

from __future__ import annotations

import asyncio
import json
import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from requests.exceptions import RequestException

from fixtures.graph.app import FakeGraph
from reconciler.errors import NotSettled, Refused
from tests.crash.plans import FOUR_ADS, ONE_AD, TREE, Plan, ads
from tests.e2e.command_line import Shell
from tests.e2e.recipes.engine_story import programs_of
from tests.repo.tree import source

READS_MAX = 1_000
KEYS = ("campaign", "adset", "ad")
Recipe = Callable[[str], Path]


@pytest.fixture
def recipe(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recipe:
    """The program of a page as a file, and its settings in the environment."""
    monkeypatch.chdir(shell.folder)
    for name, value in shell.settings.items():
        monkeypatch.setenv(name, value)

    def written(page: str) -> Path:
        (code,) = programs_of(page)
        file = tmp_path / f"{page}.py"
        file.write_text(code)
        return file

    return written


def test_the_twelve_lines_of_the_readme_make_what_is_missing(
    recipe: Recipe, graph: FakeGraph
) -> None:
    """With a client of the reader's own."""
    (code,) = re.findall(r"^```python\n(.*?)^```", source(Path("README.md")), re.M | re.S)
    sdk = runpy.run_path(str(recipe("official-sdk.md")))
    client = SimpleNamespace(create=lambda intent: {"id": sdk["send"](intent)})

    for _ in range(2):
        exec(code, {"plan": ads("Spring / 1", "Spring / 2"), "my_client": client})

    assert len(made(graph)) == 2
    assert len(code.splitlines()) <= 12


def made(graph: FakeGraph, kind: str = "ad") -> list[str]:
    """The ids of all that was ever made of this kind, the scene apart."""
    return [one.id for one in graph.world.log if one.kind == kind and one.request is not None]


def started(script: Path, plan: Plan, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `python publish.py PLAN.json`."""
    file = folder / "plan.json"
    file.write_text(json.dumps(plan))
    monkeypatch.setattr(sys, "argv", [str(script), str(file)])
    runpy.run_path(str(script), run_name="__main__")


# --- the official SDK ----------------------------------------------------------------------------


@pytest.fixture
def script(
    recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Plan], None]:
    return lambda plan: started(recipe("official-sdk.md"), plan, tmp_path, monkeypatch)


def test_the_sdk_script_makes_each_item_once_however_often_it_is_started(
    script: Callable[[Plan], None], graph: FakeGraph, capsys: pytest.CaptureFixture[str]
) -> None:
    script(TREE)
    script(TREE)

    told = capsys.readouterr().out.splitlines()
    ids = [one for kind in KEYS for one in made(graph, kind)]
    assert told[:3] == [f"{key} {one}" for key, one in zip(KEYS, ids, strict=True)]
    assert told[3:] == told[:3]


def test_the_sdk_script_finds_what_a_lost_reply_had_made(
    script: Callable[[Plan], None], graph: FakeGraph, capsys: pytest.CaptureFixture[str]
) -> None:
    graph.faults.add("reply_lost_after_commit:method=POST,reset=true")

    with pytest.raises(RequestException):
        script(ONE_AD)
    script(ONE_AD)

    (ad,) = made(graph)
    assert capsys.readouterr().out == f"a1 {ad}\n"


def test_the_sdk_script_waits_until_it_is_known_that_nothing_was_made(
    script: Callable[[Plan], None], graph: FakeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECONCILER_LATE_LANDING_SECONDS", "600")
    graph.faults.add("error_before_commit:method=POST")

    with pytest.raises(Exception, match="Call was not successful"):
        script(ONE_AD)
    with pytest.raises(SystemExit, match=r"a1: .*start me again at 20"):
        script(ONE_AD)

    assert made(graph) == []


def test_the_sdk_script_is_told_of_a_refusal(
    script: Callable[[Plan], None], graph: FakeGraph
) -> None:
    graph.faults.add("validation_error:method=POST")

    for _ in range(2):
        with pytest.raises(Refused):
            script(ONE_AD)

    assert made(graph) == []
    assert sum(request.method == "POST" for request in graph.requests) == 1


def test_the_sdk_script_says_what_a_person_must_do_where_no_time_is_known(
    script: Callable[[Plan], None], graph: FakeGraph, shell: Shell
) -> None:
    paused = shell.run("pause", "1001", "--reason", "the client asked for it")

    with pytest.raises(SystemExit, match=r"a1: .*is paused.*; reconciler show ") as ended:
        script(ONE_AD)

    assert paused.code == 0
    assert "None" not in str(ended.value)
    assert made(graph) == []


# --- a block -------------------------------------------------------------------------------------


def test_the_blocks_make_each_item_once_and_find_what_a_lost_reply_had_made(
    recipe: Recipe, graph: FakeGraph
) -> None:
    program = runpy.run_path(str(recipe("block.md")))
    graph.faults.add("error_after_commit:method=POST,nth=2")

    with pytest.raises(NotSettled, match="ended without confirm or reject"):
        program["main"](ads("Spring / 1", "Spring / 2"))
    ids = [program["main"](ads("Spring / 1", "Spring / 2")) for _ in range(2)]

    assert ids == [{"a1": made(graph)[0], "a2": made(graph)[1]}] * 2
    assert len(made(graph)) == 2


def test_the_blocks_tell_of_a_refusal_and_send_it_no_second_time(
    recipe: Recipe, graph: FakeGraph
) -> None:
    program = runpy.run_path(str(recipe("block.md")))
    graph.faults.add("validation_error:method=POST")

    assert program["main"](ONE_AD) == {"a1": None}
    with pytest.raises(Refused):
        program["main"](ONE_AD)

    assert sum(request.method == "POST" for request in graph.requests) == 1


# --- asyncio -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault", ["error_after_commit", "reply_lost_after_commit", "lost_before_commit"]
)
def test_the_asyncio_publisher_publishes_documents_at_once_through_lost_replies(
    recipe: Recipe, graph: FakeGraph, fault: str
) -> None:
    program = runpy.run_path(str(recipe("asyncio.md")))
    graph.faults.add(f"{fault}:method=POST,nth=2")

    first, second = asyncio.run(program["main"]([FOUR_ADS, ads("Autumn")]))

    assert sorted([*first.values(), *second.values()]) == sorted(made(graph))
    assert len(made(graph)) == 5


def test_a_document_that_the_asyncio_publisher_cannot_make_ends_no_other(
    recipe: Recipe, graph: FakeGraph
) -> None:
    program = runpy.run_path(str(recipe("asyncio.md")))
    graph.faults.add("validation_error:method=POST,nth=2")

    ended = asyncio.run(program["main"]([ads("Spring"), ads("Summer"), ads("Autumn")]))

    assert [type(one) for one in ended if not isinstance(one, dict)] == [Refused]
    ids = [external_id for one in ended if isinstance(one, dict) for external_id in one.values()]
    assert sorted(ids) == sorted(made(graph))
    assert len(ids) == 2


# --- FastAPI -------------------------------------------------------------------------------------


async def asked(program: dict[str, Any], send: Any, *requests: tuple[str, str, Any]) -> list[Any]:
    """What the application answers, one request after the other."""
    app = program["app"]
    app.state.send = send
    answers = []
    async with (
        program["lifespan"](app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://app") as client,
    ):
        for method, path, body in requests:
            answers.append(await client.request(method, path, json=body))
    return answers


def test_the_fastapi_application_makes_an_ad_once_and_shows_it(
    recipe: Recipe, graph: FakeGraph
) -> None:
    program, parts = (runpy.run_path(str(recipe(page))) for page in ("fastapi.md", "asyncio.md"))

    async def story() -> tuple[Any, ...]:
        async with httpx.AsyncClient(base_url=parts["SETTINGS"].graph_url) as client:
            send = parts["sender"](client)
            (accepted,) = await asked(program, send, ("POST", "/drafts", ONE_AD))
            place = f"/drafts/{accepted.json()['id']}"
            press = ("POST", f"{place}/items/a1", None)
            return tuple(await asked(program, send, press, press, ("GET", place, None)))

    first, again, shown = asyncio.run(story())

    (ad,) = made(graph)
    assert (first.json(), again.json()) == ({"external_id": ad}, {"external_id": ad})
    assert (shown.status_code, shown.json()["state"]) == (200, "published")


def test_the_fastapi_application_says_when_to_ask_again_and_recovers_when_it_is_read(
    recipe: Recipe, graph: FakeGraph
) -> None:
    program, parts = (runpy.run_path(str(recipe(page))) for page in ("fastapi.md", "asyncio.md"))
    graph.faults.add("error_after_commit:method=POST")

    async def story() -> tuple[Any, ...]:
        async with httpx.AsyncClient(base_url=parts["SETTINGS"].graph_url) as client:
            send = parts["sender"](client)
            (accepted,) = await asked(program, send, ("POST", "/drafts", ONE_AD))
            place = f"/drafts/{accepted.json()['id']}"
            with pytest.raises(parts["Unanswered"]):
                await asked(program, send, ("POST", f"{place}/items/a1", None))
            read, nobody = ("GET", place, None), ("GET", "/drafts/none", None)
            told: tuple[Any, ...] = ()
            for _ in range(READS_MAX):  # on a slow machine one budget may be too short
                told = tuple(await asked(program, send, read, nobody))
                if told[0].json()["items"][0]["external_id"]:
                    break
            return told

    shown, unknown = asyncio.run(story())

    (ad,) = made(graph)
    assert shown.json()["items"][0]["external_id"] == ad
    assert shown.json()["items"][0]["found_by"] == "mark"
    assert unknown.status_code == 404


def test_the_fastapi_application_names_no_time_where_a_person_must_act(
    recipe: Recipe, graph: FakeGraph, shell: Shell
) -> None:
    program = runpy.run_path(str(recipe("fastapi.md")))
    paused = shell.run("pause", "1001", "--reason", "the client asked for it")

    async def story() -> Any:
        (accepted,) = await asked(program, None, ("POST", "/drafts", ONE_AD))
        place = f"/drafts/{accepted.json()['id']}/items/a1"
        (refused,) = await asked(program, None, ("POST", place, None))
        return refused

    refused = asyncio.run(story())

    assert (paused.code, refused.status_code) == (0, 409)
    assert refused.json()["detail"]["until"] is None
    assert made(graph) == []
