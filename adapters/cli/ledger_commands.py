"""The commands about the ledger itself: `migrate` and `doctor`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ..bootstrap import migrate as migrate_ledger
from ..bootstrap.doctor import examine
from ..engine.checking import engine_check
from ..engine.choosing import migrate as migrate_engine
from ..shapes import Check, checks_list
from .exit_codes import ExitCode, after_doctor
from .output import visible
from .running import run
from .session import Told, checked_settings, print_told


def migrate(*, accept: bool, as_json: bool) -> int:
    """Run the migration; nothing is asked of the API."""
    settings = checked_settings()
    database = migrate_ledger(settings, accept=accept)
    migrate_engine(settings)
    shape = {"schema": "migrate/1", "database": database, "accepted": accept}
    line = f"{visible(database)} is ready for {visible(settings.graph_url)}"
    print_told(Told(shape=shape, picture=lambda: Text(line), code=ExitCode.DONE), as_json=as_json)
    return ExitCode.DONE


def doctor(*, account: str | None, echo: bool, as_json: bool) -> int:
    """Every check, one line each."""
    checks = run(lambda _: _all_checks(account, echo=echo), grace_seconds=0)
    if any(check.name == "ledger" and check.ok for check in checks):
        engine = engine_check(checked_settings())
        checks += () if engine is None else (engine,)
    shape = checks_list(checks)
    code = after_doctor(all(check.ok for check in checks))
    print_told(Told(shape=shape, picture=lambda: doctor_picture(shape), code=code), as_json=as_json)
    return code


async def _all_checks(account: str | None, *, echo: bool) -> tuple[Check, ...]:
    """Of the ledger and the API; and, where the settings can be read, of the sign-in."""
    checks = await examine(account, echo=echo)
    if not any(check.name == "settings" and check.ok for check in checks):
        return checks
    settings = checked_settings()
    if settings.oidc_issuer is None:
        return checks
    from ..web.oidc import issuer_check  # a second of imports that nobody else needs

    issuer = await issuer_check(settings)
    return checks if issuer is None else (*checks, issuer)


def doctor_picture(shape: Mapping[str, Any]) -> RenderableType:
    """A line for each check, and below it how to mend what failed."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    for _ in ("word", "name"):
        grid.add_column(no_wrap=True, min_width=4)
    for check in shape["checks"]:
        word, style = WORDS[check["status"]]
        grid.add_row(Text(word, style), visible(check["name"]), visible(check["detail"]))
        if check["fix"] and not check["ok"]:
            grid.add_row("", "", Text(f"-> {visible(check['fix'])}", "bold"))
    return grid


WORDS: Final = {"ok": ("ok", "green"), "failed": ("FAIL", "bold red"), "unknown": ("--", "yellow")}
