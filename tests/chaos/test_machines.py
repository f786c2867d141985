"""Workers on two machines, each in a network of its own, and lines that are cut between them."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Final

import pytest

from fixtures.chaos.network import CUTS, DATABASE, rejoin, sever
from fixtures.chaos.proxies import proxies
from tests.repo.tree import ROOT

SCRIPT: Final = [sys.executable, str(ROOT / "scripts" / "chaos.py")]
NOT_HERE: Final = 69
MACHINE: Final = "machine-1"

STORY: Final = (
    *("--machines", "2", "--workers", "2", "--documents", "0", "--kills", "0"),
    *("--long-stops", "0", "--restarts", "0", "--partitions", "0"),
    *("--held", "from-api", "database", "--json"),
)
"""Of two creates nobody learns in time: the API's reply vanishes; the database is gone when it is
to be saved, for longer than the lease."""


def played(network: str) -> subprocess.CompletedProcess[str]:
    """The story on machines of this kind."""
    command = [*SCRIPT, "--network", network, *STORY]
    return subprocess.run(command, check=False, cwd=ROOT, text=True, capture_output=True)


@pytest.mark.timeout(600)  # about 45 s; a busy machine is no bug of ours
def test_a_line_cut_between_the_create_and_the_save_makes_nothing_twice() -> None:
    """In network namespaces; through proxies where this machine has none, and says so."""
    run = played("namespaces")
    if run.returncode == NOT_HERE:
        assert "--network proxies" in run.stderr
        run = played("proxies")

    assert run.returncode == 0, run.stdout + run.stderr
    figures = json.loads(run.stdout)["figures"]
    assert figures["cuts while a create was held"] == 2
    assert figures["items"] == figures["entities"] == figures["creates sent"] == 6
    assert figures["orphaned attempts"] > 0
    assert figures["found by mark"] == 2


def test_where_namespaces_are_not_allowed_the_script_says_so() -> None:
    """As somebody who is not root and may not become it."""
    nobody = ["setpriv", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", *SCRIPT]

    run = subprocess.run([*nobody, *STORY], check=False, cwd=ROOT, text=True, capture_output=True)

    assert run.returncode == NOT_HERE, run.stderr
    assert "allows no network namespaces" in run.stderr
    assert "--network proxies" in run.stderr


@pytest.fixture
def echo() -> Iterator[str]:
    """The URL of a server that gives back what one client says."""
    with socket.create_server((HOST, 0)) as plug:

        def serve() -> None:
            peer, _ = plug.accept()
            with peer:
                while said := peer.recv(100):
                    peer.sendall(said)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"tcp://{HOST}:{plug.getsockname()[1]}"
        thread.join()


HOST: Final = "127.0.0.1"
MOMENT: Final = 0.2


@pytest.mark.parametrize("name", ["database", "to-database", "from-database"])
def test_what_a_proxy_holds_up_arrives_when_the_line_is_mended(name: str, echo: str) -> None:
    with proxies([MACHINE, "machine-2"]) as network:
        port = int(network.seen_from(MACHINE, DATABASE, echo).rpartition(":")[2])
        with closing(socket.create_connection((HOST, port))) as client:
            sever(network, CUTS[name], MACHINE)
            client.sendall(b"hello")
            client.settimeout(MOMENT)
            with pytest.raises(TimeoutError):
                client.recv(100)

            rejoin(network, CUTS[name], MACHINE)
            client.settimeout(None)

            assert client.recv(100) == b"hello"


def test_a_cut_is_of_one_machine(echo: str) -> None:
    with proxies([MACHINE, "machine-2"]) as network:
        network.seen_from(MACHINE, DATABASE, echo)
        port = int(network.seen_from("machine-2", DATABASE, echo).rpartition(":")[2])
        sever(network, CUTS["database"], MACHINE)
        with closing(socket.create_connection((HOST, port))) as client:
            client.sendall(b"hello")

            assert client.recv(100) == b"hello"
