"""The log: one line for a record, in UTC, and nothing secret in it however it got there."""

import logging
import re
from collections.abc import Iterator

import pytest

from adapters.graph.redaction import Redaction
from adapters.telemetry import log_to_stderr
from tests.e2e.command_line import logging_restored

CANARY = "EAACANARYtelemetry"


@pytest.fixture(autouse=True)
def _the_log_as_it_was() -> Iterator[None]:
    with logging_restored():
        yield


def redaction() -> Redaction:
    learnt = Redaction()
    learnt.learn(CANARY)
    return learnt


def test_a_secret_is_removed_from_message_argument_and_traceback(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log_to_stderr(2, redaction())
    log = logging.getLogger("anybody.at.all")

    log.info("sent %s", f"Bearer {CANARY}")
    log.debug("https://host/me?access_token=another-secret&limit=1")
    log.error("failed", exc_info=ValueError(f"cannot parse {CANARY}"))

    text = capsys.readouterr().err
    assert "ValueError" in text
    assert "[redacted]" in text
    assert CANARY not in text
    assert "another-secret" not in text


def test_a_line_begins_with_its_time_in_utc(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr(0, redaction())

    logging.getLogger("somebody").warning("look")

    pattern = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z WARNING somebody: look\n"
    assert re.fullmatch(pattern, capsys.readouterr().err)


@pytest.mark.parametrize(
    ("verbosity", "shown"),
    [(-1, {"error"}), (0, {"error", "warning"}), (1, {"error", "warning", "info"})],
)
def test_how_much_is_said_follows_the_flags(
    capsys: pytest.CaptureFixture[str], verbosity: int, shown: set[str]
) -> None:
    log_to_stderr(verbosity, redaction())
    for name in ("error", "warning", "info", "debug"):
        getattr(logging.getLogger("somebody"), name)("it was %s", name)
        getattr(logging.getLogger("httpx"), name)("a library's")

    text = capsys.readouterr().err
    assert set(re.findall(r"it was (\w+)", text)) == shown
    assert text.count("a library's") == 1
