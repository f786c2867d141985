"""The program `reconciler`: every end of it is one exit code, and no expected error a traceback."""

from __future__ import annotations

import logging
import os
import shlex
import sys
from collections.abc import Sequence
from typing import NoReturn

import typer

from reconciler.errors import ReconcilerError

from . import commands
from .exit_codes import ExitCode, after_error
from .failing import tell, tell_error
from .output import OutputLost
from .running import Interrupted
from .streams import fill_closed, flushed_stdout

LOG = logging.getLogger(__name__)


def main() -> NoReturn:
    """The entry point."""
    fill_closed()
    code = exit_code_of(sys.argv[1:])
    flushed_stdout()
    sys.exit(code)


def exit_code_of(arguments: Sequence[str]) -> int:
    """Run one command line to its end, telling any error; the code for the shell."""
    as_json = "--json" in arguments
    try:
        code = commands.app(args=list(arguments), prog_name="reconciler", standalone_mode=False)
        return ExitCode.DONE if code is None else int(code)
    except typer.TyperException as error:
        return _usage(error, arguments, as_json)
    except OutputLost as error:  # stdout takes nothing, not even this
        tell_error(error, as_json=False)
        return ExitCode.ERROR
    except ReconcilerError as error:
        tell_error(error, as_json=as_json, again=_again(arguments))
        return after_error(error)
    except Interrupted as interrupted:
        return _interrupted(interrupted.exit_code, arguments, as_json)
    except (KeyboardInterrupt, typer.Abort):
        return _interrupted(ExitCode.INTERRUPTED, arguments, as_json)
    except Exception as error:  # noqa: BLE001 - the last line of defence: told, never shown raw
        return _unexpected(error, as_json)


def _usage(error: typer.TyperException, arguments: Sequence[str], as_json: bool) -> int:
    if not arguments:  # the help page was printed already
        return ExitCode.USAGE
    tell("usage", error.format_message(), _help_page(arguments), as_json=as_json)
    return ExitCode.USAGE


def _help_page(arguments: Sequence[str]) -> str:
    """Of the command that was typed, of a group's command too, as far as it is known."""
    command, path = typer.main.get_command(commands.app), ["reconciler"]
    for word in arguments:
        if found := getattr(command, "commands", {}).get(word):
            command, path = found, [*path, word]
    return shlex.join([*path, "--help"])


def _interrupted(code: int, arguments: Sequence[str], as_json: bool) -> int:
    tell("interrupted", "stopped by a signal before the end", _again(arguments), as_json=as_json)
    return code


def _again(arguments: Sequence[str]) -> str:
    """The same command; but for the one that makes a second document whenever it is run."""
    if "--new" in arguments:
        return "reconciler list"
    return shlex.join(["reconciler", *arguments])


def _unexpected(error: Exception, as_json: bool) -> int:
    """One line. The traceback is for those who ask, and without secrets like everything else."""
    from ..bootstrap import REDACTION

    if LOG.isEnabledFor(logging.DEBUG) or os.environ.get("RECONCILER_DEBUG"):
        LOG.critical("unexpected", exc_info=error)
    message = REDACTION(f"unexpected {type(error).__name__}: {error}")
    next_step = "reconciler doctor; RECONCILER_DEBUG=1 shows where it happened"
    tell("unexpected", " ".join(message.split()), next_step, as_json=as_json)
    return ExitCode.ERROR


if __name__ == "__main__":
    main()
