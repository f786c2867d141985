"""The command line as people type it: arguments, options and their words; nothing else.

What a command needs is imported when it runs, so that `--help` and a typing error answer at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata
from typing import Annotated

import typer

from ..engine.names import EngineName
from . import (
    account_words,
    batch_words,
    decision_words,
    elsewhere_words,
    record_words,
    service_words,
)
from .list_words import OnlyAccount, OnlyKind, OnlyState, OnlyVerdict
from .words import AsJson, account_id

app = typer.Typer(
    name="reconciler",
    help="Publish through Meta's Marketing API, and know after any crash what really exists.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 error, 3 needs a person, 4 ended partly, 5 run again, 64 usage.",
)

Id = Annotated[str, typer.Argument(metavar="ID", help="The document's id, as `submit` printed it.")]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"reconciler {metadata.version('reconciler')}")
        raise typer.Exit


@app.callback()
def options(
    verbose: Annotated[
        int,
        typer.Option(
            "--verbose", "-v", count=True, show_default=False, help="Log more; -vv with tracebacks."
        ),
    ] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, errors only.")] = False,
    log_json: Annotated[
        bool, typer.Option("--log-json", help="Log one JSON object a line.")
    ] = False,
    metrics_port: Annotated[
        int | None,
        typer.Option(min=1, max=65_535, help="Show this process's figures on 127.0.0.1, /metrics."),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print it.")
    ] = False,
) -> None:
    """Options of every command; they go before its name."""
    from ..bootstrap import REDACTION
    from ..telemetry import log_to_stderr

    log_to_stderr(-1 if quiet else verbose, REDACTION, as_json=log_json)
    if metrics_port is not None:
        from ..observing.showing import show_figures

        show_figures(metrics_port)


@app.command()
def migrate(
    accept_database: Annotated[
        bool,
        typer.Option(
            "--accept-database", help="A restored or cloned database is meant to be used."
        ),
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Create or upgrade the ledger's schema."""
    from . import ledger_commands

    return ledger_commands.migrate(accept=accept_database, as_json=as_json)


@app.command()
def submit(
    plan: Annotated[str, typer.Argument(metavar="PLAN.json|-", help="A file, or - for stdin.")],
    key: Annotated[
        str | None,
        typer.Option(metavar="K", help="Names the document; by default the plan's own hash."),
    ] = None,
    publish: Annotated[
        bool, typer.Option("--publish", help="Queue it too; sends nothing.")
    ] = False,
    new: Annotated[bool, typer.Option("--new", help="Once more, although it is known.")] = False,
    as_json: AsJson = False,
) -> int:
    """Accept a document, or its next revision: the same key with a changed plan."""
    from . import document_commands as doing
    from .session import carry_out

    return carry_out(doing.submit(plan, key=key, publish=publish, new=new), as_json=as_json)


@app.command()
def publish(
    document_id: Id,
    wait: Annotated[bool, typer.Option("--wait", help="Stay until the document rests.")] = False,
    as_json: AsJson = False,
) -> int:
    """Queue it if it rests, find out what is unknown, then make what is missing, here and now."""
    from . import document_commands as doing
    from .session import carry_out

    return carry_out(doing.publish(document_id, wait=wait), as_json=as_json, may_create=True)


@app.command()
def show(
    document_id: Id,
    no_recover: Annotated[
        bool, typer.Option("--no-recover", help="Only read; look at nothing outside.")
    ] = False,
    refresh: Annotated[
        bool,
        typer.Option(
            "--refresh", help="Also list what is confirmed: its attributes, and what became of it."
        ),
    ] = False,
    as_json: AsJson = False,
) -> int:
    """The document as it is, after takeover and settling if they are due."""
    from . import document_commands as doing
    from .session import carry_out

    if no_recover and refresh:
        raise typer.BadParameter("--refresh looks outside, --no-recover forbids it: give one")
    work = doing.show(document_id, recover=not no_recover, refresh=refresh)
    return carry_out(work, as_json=as_json)


@app.command()
def explain(
    document_id: Id,
    item: Annotated[str | None, typer.Option(metavar="KEY", help="Only this item.")] = None,
    as_json: AsJson = False,
) -> int:
    """Why: the funnel with its counts, what each stage removed, what is left, and what to do."""
    from . import document_commands as doing
    from .session import carry_out

    return carry_out(doing.explain(document_id, item), as_json=as_json)


@app.command()
def recover(
    document_id: Id,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Judge, and write nothing.")] = False,
    as_json: AsJson = False,
) -> int:
    """Take over and settle one document, also a held one. Creates nothing."""
    from . import document_commands as doing
    from .session import carry_out

    return carry_out(doing.recover(document_id, dry_run=dry_run), as_json=as_json)


@app.command()
def cancel(document_id: Id, as_json: AsJson = False) -> int:
    """Create nothing more of it: at once, or when the call under way has ended."""
    from . import document_commands as doing
    from .session import carry_out

    return carry_out(doing.cancel(document_id), as_json=as_json)


@app.command("list")
def list_documents(
    state: OnlyState = None,
    account: OnlyAccount = None,
    kind: OnlyKind = None,
    verdict: OnlyVerdict = None,
    as_json: AsJson = False,
) -> int:
    """Documents with state and next action, counts first."""
    from . import list_commands as listing
    from .session import carry_out

    work = listing.list_documents(state=state, account=account, kind=kind, verdict=verdict)
    return carry_out(work, as_json=as_json)


@app.command()
def watch(
    *,
    state: OnlyState = None,
    account: OnlyAccount = None,
    kind: OnlyKind = None,
    verdict: OnlyVerdict = None,
    every: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.2, help="How often the list is read again.")
    ] = 2.0,
    as_json: AsJson = False,
) -> int:
    """The list, kept up to date until Ctrl-C; piped, a line for each document that changed."""
    from . import list_commands as listing
    from .session import carry_out

    work = listing.watch(
        state=state, account=account, kind=kind, verdict=verdict, every=every, as_json=as_json
    )
    return carry_out(work, as_json=as_json, ends_by_signal=True)


@app.command()
def worker(
    engine: Annotated[
        EngineName | None,
        typer.Option(
            help="What tells it of work: procrastinate (PostgreSQL only, and there the default), "
            "or nothing but its own questions to the ledger."
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Publish what is queued and look at what is due, until Ctrl-C or SIGTERM.

    The first signal ends it in order: what is in flight is saved, the rest is handed back. A second
    one ends it at once, which is safe too.
    """
    from . import worker_commands as working
    from .session import carry_out

    work = working.worker(engine=engine, as_json=as_json)
    return carry_out(work, as_json=as_json, may_create=True, ends_by_signal=True)


@app.command()
def sweep(as_json: AsJson = False) -> int:
    """One pass: take over what crashed, look at what is due, drive what nothing holds.

    Creates nothing. A worker does it by itself, every RECONCILER_SWEEP_INTERVAL_SECONDS.
    """
    from . import worker_commands as working
    from .session import carry_out

    return carry_out(working.sweep(), as_json=as_json)


@app.command()
def doctor(
    account: Annotated[
        str | None,
        typer.Option(metavar="A", callback=account_id, help="Ask the API for this account alone."),
    ] = None,
    echo: Annotated[
        str | None,
        typer.Option(
            metavar="A",
            callback=account_id,
            help="Also make one ad label there, read it back and delete it: do marks come back?",
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Check what the promise rests on: settings, durability, schema, clock, token, API."""
    from . import ledger_commands

    if None not in (account, echo) and account != echo:
        raise typer.BadParameter("--account and --echo name two accounts: give one")
    asked = account or echo
    return ledger_commands.doctor(account=asked, echo=echo is not None, as_json=as_json)


app.command()(decision_words.resolve)
app.command()(decision_words.duplicates)
app.command()(record_words.record)
app.command("import")(elsewhere_words.import_documents)
app.add_typer(batch_words.batch)
app.command()(account_words.pause)
app.command()(account_words.resume)
app.command()(service_words.serve)
app.add_typer(service_words.key)


def names() -> Iterator[str]:
    """The commands, as typed."""
    for command in app.registered_commands:
        if command.name is not None:
            yield command.name
        elif command.callback is not None:
            yield command.callback.__name__
    for group in app.registered_groups:
        yield str(group.typer_instance.info.name) if group.typer_instance else ""
