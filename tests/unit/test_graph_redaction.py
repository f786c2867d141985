"""No secret survives in text or in a log record, whichever library writes it."""

import io
import logging

import pytest

from adapters.graph.redaction import LOGGERS, RedactingFilter, Redaction


@pytest.mark.parametrize(
    "text",
    [
        "GET https://h/v26.0/act_1/ads?access_token=S3CRET_abc&limit=5",
        "?limit=5&appsecret_proof=S3CRET",
        "input_token=S3CRET",
        "client_secret=S3CRET;",
        "next=https%3A%2F%2Fh%2F%3Faccess_token%3DS3CRET%26limit%3D5",
        '{"access_token": "S3CRET"}',
        '{"access_token":"S3CRET"}',
        r'{"body":"{\"access_token\":\"S3CRET\"}"}',
        "{'access_token': 'S3CRET'}",
        "[(b'access_token', b'S3CRET')]",
        "ACCESS_TOKEN=S3CRET",
        "Authorization: Bearer S3CRET|x.y-z",
        "(b'Authorization', b'Bearer S3CRETS3CRET')",
        "authorization: OAuth S3CRETS3CRET",
    ],
)
def test_a_parameter_that_carries_a_secret_loses_it(text: str) -> None:
    """R096."""
    assert "S3CRET" not in Redaction()(text)


def test_the_secrets_in_use_are_removed_wherever_they_stand() -> None:
    """R096."""
    redaction = Redaction()
    redaction.learn("TEST|TOKEN/123")

    assert redaction("x TEST|TOKEN/123 y TEST%7CTOKEN%2F123") == "x [redacted] y [redacted]"


def test_a_secret_that_contains_another_is_removed_whole() -> None:
    redaction = Redaction()
    redaction.learn("TOKEN")
    redaction.learn("TOKEN-LONGER")

    assert redaction("TOKEN-LONGER") == "[redacted]"


@pytest.mark.parametrize(
    "text", ["", "An unknown error occurred", "Spring / 1", "a bearer of news"]
)
def test_other_text_is_left_alone(text: str) -> None:
    redaction = Redaction()
    redaction.learn("")
    redaction.learn("a")

    assert redaction(text) == text


@pytest.fixture
def written() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def handler(written: io.StringIO) -> logging.Handler:
    handler = logging.StreamHandler(written)
    handler.setFormatter(logging.Formatter("%(name)s %(levelname)s %(message)s"))
    return handler


@pytest.mark.parametrize("name", LOGGERS)
@pytest.mark.parametrize("level", [logging.INFO, logging.DEBUG])
def test_the_http_libraries_log_no_secret(
    name: str, level: int, handler: logging.Handler, written: io.StringIO
) -> None:
    """R096: at INFO and at DEBUG, to a handler that came later."""
    redaction = Redaction()
    redaction.learn("TESTTOKEN123")
    redaction.guard_logging()
    logger = logging.getLogger(name)
    logger.addHandler(handler)
    logger.setLevel(level)
    try:
        logger.log(
            level, "HTTP Request: %s %s", "GET", "https://h/?access_token=abc&x=TESTTOKEN123"
        )
        try:
            int("failed at TESTTOKEN123")
        except ValueError:
            logger.exception("it failed", stack_info=True)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)

    assert "TESTTOKEN123" not in written.getvalue()
    assert "access_token=[redacted]" in written.getvalue()
    assert "'failed at [redacted]'" in written.getvalue()


def test_handlers_of_the_root_are_guarded_too(
    handler: logging.Handler, written: io.StringIO
) -> None:
    """R096."""
    redaction = Redaction()
    redaction.learn("TESTTOKEN123")
    logging.getLogger().addHandler(handler)
    try:
        redaction.guard_logging()
        redaction.guard_logging()
        logging.getLogger("somebody.else").error("at %s", "TESTTOKEN123")
    finally:
        logging.getLogger().removeHandler(handler)

    assert written.getvalue() == "somebody.else ERROR at [redacted]\n"
    assert len([each for each in handler.filters if isinstance(each, RedactingFilter)]) == 1


def test_an_exception_without_a_secret_stays_an_exception(handler: logging.Handler) -> None:
    """A handler that prints tracebacks its own way keeps what it needs."""
    error = ValueError("plain")
    record = logging.LogRecord("x", 40, "", 1, "m", None, (ValueError, error, None))

    RedactingFilter(Redaction()).filter(record)

    assert record.exc_info == (ValueError, error, None)
