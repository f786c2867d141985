"""What PostgreSQL says, in our words: what may be run again, what is known, and what is our bug."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg
from sqlalchemy.exc import DBAPIError, StatementError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from reconciler.errors import LedgerForbidden, LedgerUnavailable

from .accounts import Overtaken
from .postgres_advice import is_refused_connection, next_step_of, said

_SERIALIZATION_FAILURE: Final = "40001"
_DEADLOCK: Final = "40P01"
_STATEMENT_COMPLETION_UNKNOWN: Final = "40003"
_NO_PRIVILEGE: Final = "42501"
_ROLLED_BACK: Final = ("23", "40")
"""Classes of errors that a server gives for a commit it did not make."""

_TOLD_AT_THE_NEXT_RUN: Final = frozenset(
    {"uq_document_key", "pk_document", "uq_intent_binding", "pk_complete_account"}
)

_OUR_BUGS: Final = (
    psycopg.IntegrityError,
    psycopg.ProgrammingError,
    psycopg.DataError,
    psycopg.NotSupportedError,
)


def may_run_again(error: BaseException) -> bool:
    """Whether the transaction lost against another that ran at the same time, and nothing else.

    Two submits of one new key are such: the second finds the document of the first. So are two
    imports; a change that takes a bound id has been told so before this is asked.
    """
    if isinstance(error, psycopg.errors.UniqueViolation):
        return error.diag.constraint_name in _TOLD_AT_THE_NEXT_RUN
    if isinstance(error, psycopg.Error):
        return error.sqlstate in (_SERIALIZATION_FAILURE, _DEADLOCK)
    return isinstance(error, Overtaken)


def was_rolled_back(error: psycopg.Error) -> bool:
    """Whether an error that answers a COMMIT says that nothing was committed.

    A server that is being shut down or killed may have committed before it said so.
    """
    state = error.sqlstate or ""
    return state[:2] in _ROLLED_BACK and state != _STATEMENT_COMPLETION_UNKNOWN


@contextmanager
def translated() -> Iterator[None]:
    """The one place where the driver's errors become ours, cause kept."""
    try:
        yield
    except DBAPIError as error:
        raise _ours(error.orig) from error
    except StatementError as error:
        # A value that no column takes, such as a time without a zone: the caller's own error.
        raise (error.orig or error) from error
    except NoConnectionFree as error:
        raise LedgerUnavailable(
            "every connection to the ledger is in use", next_step="try again in a moment"
        ) from error
    except Overtaken as error:
        raise LedgerUnavailable(
            "others changed the same at every try", next_step="try again in a moment"
        ) from error
    except psycopg.Error as error:
        raise _ours(error) from error


def _ours(error: BaseException | None) -> Exception:
    if getattr(error, "sqlstate", None) == _NO_PRIVILEGE:
        return LedgerForbidden(
            f"the database user may not do what the ledger needs: {said(error)}",
            next_step=next_step_of(error),
        )
    if isinstance(error, _OUR_BUGS) and not is_refused_connection(error):
        return AssertionError(f"PostgreSQL refused what we asked of it: {said(error)}")
    return LedgerUnavailable(
        f"the ledger cannot be used: {said(error)}", next_step=next_step_of(error)
    )
