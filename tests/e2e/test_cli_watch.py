"""`watch`: the list kept up to date, until a signal or until nobody reads it."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.e2e.command_line import Shell

SECONDS_MAX = 60


def submitted(shell: Shell, name: str) -> str:
    """The id of a new draft of one ad."""
    ran = shell.run("submit", shell.plan(name), "--json")
    assert ran.code == 0, ran
    return str(ran.json["document_id"])


@contextmanager
def watching(shell: Shell, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A process that watches; gone at the end, whatever came."""
    process = shell.start("watch", "--every", "0.2", *arguments)
    try:
        yield process
    finally:
        process.kill()
        with process:  # closes its pipes
            pass


def line_of(process: subprocess.Popen[str]) -> str:
    """The next line it tells."""
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, "it ended"
    return line


def ended(process: subprocess.Popen[str], by: signal.Signals) -> int:
    """Its exit code once it was told to stop."""
    process.send_signal(by)
    return process.wait(SECONDS_MAX)


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_a_document_is_told_once_and_again_when_it_changed(
    shell: Shell, by: signal.Signals
) -> None:
    first = submitted(shell, "1")
    with watching(shell, "--json") as process:
        told: list[dict[str, Any]] = [json.loads(line_of(process))]
        second = submitted(shell, "2")
        told.append(json.loads(line_of(process)))
        assert shell.run("cancel", first).code == 0
        told.append(json.loads(line_of(process)))
        code = ended(process, by)

    assert code == 0
    assert [(one["document_id"], one["state"]) for one in told] == [
        (first, "draft"),
        (second, "draft"),
        (first, "cancelled"),
    ]
    assert all(one["at"].endswith("Z") or "+00:00" in one["at"] for one in told)


def test_people_get_a_line_and_only_what_they_asked_for(shell: Shell) -> None:
    draft, other = submitted(shell, "1"), submitted(shell, "2")
    assert shell.run("cancel", other).code == 0
    with watching(shell, "--state", "draft") as process:
        line = line_of(process)
        assert shell.run("cancel", draft).code == 0
        third = submitted(shell, "3")
        after = line_of(process)

    assert draft in line
    assert "draft" in line
    assert third in after


def test_it_ends_when_nobody_reads_it_any_more(shell: Shell) -> None:
    submitted(shell, "1")
    with watching(shell) as process:
        line_of(process)
        assert process.stdout is not None
        process.stdout.close()
        submitted(shell, "2")

        assert process.wait(SECONDS_MAX) == 0


def test_a_terminal_shows_the_list_in_place_and_gets_its_own_screen_back(shell: Shell) -> None:
    document_id = submitted(shell, "1")
    ours, its = pty.openpty()
    with watching_on(shell, its) as process:
        os.close(its)
        screen = b""
        while document_id.encode() not in screen:
            screen += os.read(ours, 65_536)
        process.send_signal(signal.SIGINT)
        screen += rest_of(ours)

        assert process.wait(SECONDS_MAX) == 0
    os.close(ours)
    assert b"\x1b[?1049h" in screen
    assert b"\x1b[?1049l" in screen
    assert b"Ctrl-C ends" in screen


@contextmanager
def watching_on(shell: Shell, terminal: int) -> Iterator[subprocess.Popen[str]]:
    """The same on a terminal."""
    process = shell.start_on(terminal, "watch", "--every", "0.2", COLUMNS="120", TERM="xterm")
    try:
        yield process
    finally:
        process.kill()
        with process:  # closes its pipes
            pass


def rest_of(terminal: int) -> bytes:
    """What is still to be read there, until the other end is closed."""
    found = b""
    while True:
        try:
            more = os.read(terminal, 65_536)
        except OSError:  # Linux says so where the other end is gone
            return found
        if not more:
            return found
        found += more


@pytest.mark.parametrize("every", ["0", "-1", "often"])
def test_how_often_must_be_a_time(shell: Shell, every: str) -> None:
    ran = shell.run("watch", "--every", every)

    assert ran.code == 64
    assert "--every" in ran.err
