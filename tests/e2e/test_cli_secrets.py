"""R096: the token appears nowhere, not on stdout or stderr, nor in the loudest log or on disk."""

import hashlib
import hmac

import pytest

from fixtures.graph.app import FakeGraph
from tests.e2e.command_line import TOKEN, Shell

SECRET = "s3cretCANARYofTheApp"
LOUD = {"RECONCILER_DEBUG": "1", "RECONCILER_APP_SECRET": SECRET}


def test_no_secret_is_written_anywhere(shell: Shell, graph: FakeGraph) -> None:
    graph.faults.add("foreign_next:count=100")
    graph.faults.add("reply_lost_after_commit:nth=2")
    document_id = shell.submitted("Spring / 1", "Spring / 2", "Spring / 3")

    ran = [
        shell.run_process("-vv", "publish", document_id, **LOUD),
        shell.run_process("-vv", "recover", document_id, "--json", **LOUD),
        shell.run_process("-vv", "show", document_id, "--refresh", **LOUD),
        shell.run("-vv", "explain", document_id, "--json", **LOUD),
        shell.run("-vv", "list", **LOUD),
        shell.run("-vv", "doctor", "--json", **LOUD),
        shell.run("-vv", "show", TOKEN, "--json", **LOUD),
        shell.run("-vv", "list", RECONCILER_PAGE_SIZE=TOKEN, **LOUD),
    ]

    assert ran[0].code == 0
    assert "HTTP" in ran[0].err, "the libraries were not at their loudest"
    written = [one.out + one.err for one in ran] + [str(shell.everything_written())]
    proof = hmac.new(SECRET.encode(), TOKEN.encode(), hashlib.sha256).hexdigest()
    for secret in (TOKEN, SECRET, proof):
        assert [text for text in written if secret in text] == []


@pytest.mark.parametrize("status", [400, 500])
def test_what_the_api_throws_back_is_told_and_stored_without_the_secrets(
    shell: Shell, graph: FakeGraph, status: int
) -> None:
    """Its errors quote token and proof: of a create, of a list, and to the doctor."""
    graph.faults.add(f"secrets_quoted:status={status}", count=None)
    graph.faults.add("usage:percent=90")
    document_id = shell.submitted("Spring / 1")

    ran = [
        shell.run_process("-vv", "publish", document_id, **LOUD),
        shell.run("-vv", "recover", document_id, "--json", **LOUD),
        shell.run("-vv", "show", document_id, "--refresh", **LOUD),
        shell.run("-vv", "show", document_id, "--json", "--no-recover", **LOUD),
        shell.run("-vv", "explain", document_id, **LOUD),
        shell.run("-vv", "sweep", "--json", **LOUD),
        shell.run("-vv", "duplicates", "--account", "act_1001", **LOUD),
        shell.run("-vv", "doctor", "--account", "act_1001", **LOUD),
        shell.run("-vv", "batch", "export", **LOUD),
    ]

    written = [one.out + one.err for one in ran] + [str(shell.everything_written())]
    assert any("[redacted]" in text for text in written), "nothing was thrown back"
    assert len(graph.requests) > 4
    proof = hmac.new(SECRET.encode(), TOKEN.encode(), hashlib.sha256).hexdigest()
    for secret in (TOKEN, SECRET, proof):
        assert [text for text in written if secret in text] == []


def test_an_unexpected_error_is_one_line_and_its_traceback_is_redacted(shell: Shell) -> None:
    (shell.folder / "reconciler.db").write_bytes(TOKEN.encode() * 1_000)

    quiet = shell.run("list")
    loud = shell.run("-vv", "list", "--json")

    assert (quiet.code, loud.code) == (1, 1)
    assert "Traceback" not in quiet.err
    assert TOKEN not in quiet.err + loud.out + loud.err
