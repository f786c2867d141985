"""`reconciler serve` and `reconciler key`: a real process on a real socket, and its keys."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from fixtures.graph.app import FakeGraph
from tests.e2e.command_line import TOKEN, Shell

CANARY = "EAACANARYincoming0123456789"


@contextmanager
def serving(shell: Shell) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of a service that runs until the end, and its process."""
    with shell.start("-vv", "serve", "--port", "0") as process:
        try:
            assert process.stderr is not None
            told = (re.search(r"listening on (http://\S+)", line) for line in process.stderr)
            yield next(found[1] for found in told if found), process
        finally:
            process.kill()


def test_a_document_is_published_over_http_and_no_secret_is_written(
    shell: Shell, graph: FakeGraph
) -> None:
    """R096: libraries log whole addresses; an incoming one may hold a token too."""
    plan = json.loads((shell.folder / shell.plan("Spring / 1")).read_text())
    with serving(shell) as (address, process), httpx.Client(base_url=address) as client:
        made = client.post("/v1/documents", json=plan)
        place = made.headers["location"]
        published = client.post(f"{place}/publish")
        read = client.get(place, params={"access_token": CANARY})
        unknown = client.get(f"/v1/documents/{CANARY}?access_token={CANARY}")
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)

    assert (made.status_code, published.status_code) == (201, 200)
    assert read.json()["state"] == "published"
    told = read.json()
    assert told["next"].pop("request") is None  # for clients of HTTP; nothing is left to do
    assert told == shell.run("show", place.rpartition("/")[2], "--json").json
    assert unknown.status_code == 404
    assert process.returncode == 0, err
    assert "ended" in out
    assert sum(creation.kind == "ad" for creation in graph.world.log) == 1
    for secret in (TOKEN, f"access_token={CANARY}"):
        assert secret not in out + err + read.text + published.text
        assert secret.encode() not in shell.everything_written()


def test_without_keys_only_this_machine_is_served(shell: Shell) -> None:
    refused = shell.run("serve", "--host", "0.0.0.0", "--port", "0")

    assert refused.code == 1
    assert "everybody who reaches it could publish" in refused.err
    assert "next:  reconciler key create" in refused.err


def test_an_address_that_is_taken_is_told(shell: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        refused = shell.run("serve", "--port", port)

    assert refused.code == 1
    assert f"cannot listen on 127.0.0.1 port {port}" in refused.err


def test_a_key_is_shown_once_listed_and_revoked(shell: Shell) -> None:
    made = shell.run("key", "create", "ops", "--scope", "publish", "--account", "1001")
    key = made.out.strip()
    listed = shell.run("key", "list", "--json").json["keys"]
    shown = shell.run("key", "list")
    revoked = shell.run("key", "revoke", listed[0]["key_id"])
    again = shell.run("key", "revoke", listed[0]["key_id"], "--json")
    last = shell.run("key", "list", "--json").json["keys"]

    assert re.fullmatch(r"rk_[0-9a-f]{10}_[\w-]{43}", key)
    assert key not in made.err + shown.out
    assert key.encode() not in shell.everything_written()
    assert (listed[0]["scopes"], listed[0]["accounts"]) == (["publish"], ["act_1001"])
    assert (listed[0]["state"], last[0]["state"]) == ("valid", "revoked")
    assert (revoked.code, again.code) == (0, 1)
    assert again.json["error"]["code"] == "unknown_key"


@pytest.mark.parametrize("name", ["", "   ", "n" * 61])
def test_a_key_is_named_in_1_to_60_characters(shell: Shell, name: str) -> None:
    refused = shell.run("key", "create", name)

    assert refused.code == 64
    assert "a key's name has 1 to 60 characters" in refused.err
    assert shell.run("key", "list", "--json").json["keys"] == []


@pytest.mark.parametrize("option", [("--scope", "write"), ("--days", "0"), ("--account", "x")])
def test_a_key_that_makes_no_sense_is_refused(shell: Shell, option: tuple[str, str]) -> None:
    assert shell.run("key", "create", "ops", *option).code == 64


def test_a_paused_account_waits_until_it_is_resumed(shell: Shell, graph: FakeGraph) -> None:
    document_id = shell.submitted("Spring / 1")
    paused = shell.run("pause", "1001", "--reason", "the budget is being moved", "--json")
    waiting = shell.run("publish", document_id)
    sent = len(graph.requests)
    resumed = shell.run("resume", "act_1001")
    published = shell.run("publish", document_id, "--json")

    assert paused.json == {
        "schema": "account/1",
        "account_id": "act_1001",
        "paused": "the budget is being moved",
        "block": None,
        "until": None,
    }
    assert waiting.code == 5
    assert "paused: the budget is being moved; reconciler resume act_1001 ends it" in waiting.err
    assert sent == 0
    assert (resumed.code, resumed.out) == (0, "act_1001 is not paused\n")
    assert published.json["state"] == "published"


def test_a_pause_that_stood_is_told_with_the_reason_that_is_replaced(shell: Shell) -> None:
    first = shell.run("pause", "1001", "--reason", "the budget is being moved")
    same = shell.run("pause", "1001", "--reason", "the budget is being moved")
    other = shell.run("pause", "1001", "--reason", "the client asked for it")

    assert "already" not in first.err + same.err
    assert other.out == "act_1001 is paused: the client asked for it\n"
    assert "it was paused already" in other.err
    assert "the budget is being moved" in other.err
