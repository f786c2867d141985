"""Checks what the promise rests on, one line each, going on after each that fails.

Reads only: five cheap GETs for each account, a few more where its token's permissions come in
pages. `echo` alone makes something, one ad label.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from reconciler.call_outcome import Again
from reconciler.errors import ReconcilerError

from ..settings import Settings, load_settings, unknown_variables
from ..shapes import Check
from .api_checks import narrowing_check, version_check
from .echo_trial import trial_name, try_echo
from .lasting import lasting_checks
from .opening import open_ledger
from .probing import Probed, label_count, probe
from .scopes import scopes_check
from .secrets import learn_secrets

ACCOUNTS_MAX: Final = 20
"""Accounts asked in one run; more would be a load of its own."""


async def examine(account_id: str | None = None, *, echo: bool = False) -> tuple[Check, ...]:
    """Every check that can be made. `account_id` has the API asked for this account alone.

    `echo` makes one label in that account and deletes it again, to see that marks come back.
    """
    names = tuple(unknown_variables())
    spelling = Check(
        name="variables",
        ok=not names,
        detail="; ".join(names) or "every RECONCILER_ variable is a setting",
        fix="docs/settings.md lists them" if names else None,
    )
    try:
        settings = load_settings()
    except ReconcilerError as error:
        return (spelling, _failed("settings", error))
    learn_secrets(settings)
    limits = settings.to_limits()
    needed, lease = limits.needed_before_send.total_seconds(), limits.lease.total_seconds()
    kept = Check(
        name="settings", ok=True, detail=f"A2: {needed:g} s to end a call, lease {lease:g} s"
    )
    accounts, ledger = await _ledger(settings)
    asked = (account_id,) if account_id is not None else accounts
    outside = [line async for line in _api(settings, asked)]
    if echo and account_id is not None and settings.token_for(account_id) is not None:
        outside += [line async for line in try_echo(settings, account_id, trial_name())]
    return (spelling, kept, *ledger, *outside)


async def _ledger(settings: Settings) -> tuple[tuple[str, ...], tuple[Check, ...]]:
    """The accounts it knows, and how it stands."""
    try:
        ledger = open_ledger(settings)
    except ReconcilerError as error:
        return tuple(settings.account_tokens), (_failed("ledger", error),)
    try:
        _, lines = await ledger.summaries()
        lasting = lasting_checks(settings)
    finally:
        await ledger.aclose()
    known = dict.fromkeys([*settings.account_tokens, *(line.document.account_id for line in lines)])
    opened = Check(
        name="ledger",
        ok=True,
        detail=f"{settings.database_shown}: schema and identity fit, {settings.graph_url}",
    )
    return tuple(known), (opened, *lasting)


async def _api(settings: Settings, accounts: tuple[str, ...]) -> AsyncIterator[Check]:
    yield _address(settings)
    if not accounts:
        yield _no_account(settings)
    for account_id in accounts[:ACCOUNTS_MAX]:
        if settings.token_for(account_id) is None:
            yield _no_token(account_id)
            continue
        found = await probe(settings, account_id)
        yield _access(account_id, found)
        yield _clock(account_id, found, settings)
        if found.answers:
            for line in await _answering(settings, account_id, found):
                yield line


async def _answering(settings: Settings, account_id: str, found: Probed) -> list[Check]:
    """Of an account that answers. What the API does not tell at all has no line."""
    told = (
        version_check(account_id, found.headers, settings.graph_version),
        await scopes_check(settings, account_id),
        _labels(account_id, await label_count(settings, account_id)),
        await narrowing_check(settings, account_id),
    )
    return [line for line in told if line is not None]


def _address(settings: Settings) -> Check:
    ok = not settings.sends_in_clear
    said = "" if ok else ", plain http: whoever is on the way can read the token"
    return Check(
        name="address",
        ok=ok,
        detail=f"{settings.graph_url} {settings.graph_version}{said}",
        fix=None if ok else "write RECONCILER_GRAPH_URL with https://",
    )


def _no_account(settings: Settings) -> Check:
    ok = settings.graph_token is not None
    return Check(
        name="token",
        ok=ok,
        detail=_NOT_TRIED if ok else "no token is given",
        fix=None if ok else _TOKEN_FIX,
    )


def _no_token(account_id: str) -> Check:
    return Check(name=f"token {account_id}", ok=False, detail="no token is given", fix=_TOKEN_FIX)


_NOT_TRIED: Final = "given, not tried: name an account, reconciler doctor --account act_…"
_TOKEN_FIX: Final = "set RECONCILER_GRAPH_TOKEN, in the environment, .env or RECONCILER_SECRETS_DIR"  # noqa: S105 - the advice


def _access(account_id: str, found: Probed) -> Check:
    return Check(
        name=f"access {account_id}",
        ok=found.answers,
        detail=found.detail,
        fix=None if found.answers else _ACCESS_FIX.get(found.again, "try again in a minute"),
    )


_ACCESS_FIX: Final[dict[Again | None, str]] = {
    None: "see that RECONCILER_GRAPH_URL can be reached from here: network, proxy, DNS",
    Again.THROTTLED: "leave the account alone for a while: asking on lengthens the block",
    Again.ACCESS: "renew the account's token, and see that its user may manage ads there",
    Again.NEVER: "see that RECONCILER_GRAPH_URL and RECONCILER_GRAPH_VERSION are right",
}
"""By when such an answer may be asked for again."""


def _clock(account_id: str, found: Probed, settings: Settings) -> Check:
    """A6. Half a second of the header's own rounding is not held against anybody."""
    if found.clock_difference is None:
        return Check(
            name=f"clock {account_id}",
            ok=False,
            known=False,
            detail="A6: not measured, for no reply told the API's time; no verdict is given then",
            fix=_NO_DATE_FIX if found.again else "mend the access first, then run this again",
        )
    seconds = found.clock_difference.total_seconds()
    ok = abs(seconds) <= settings.clock_skew_seconds + 1
    allowed = f"{settings.clock_skew_seconds:g} s allowed"
    return Check(
        name=f"clock {account_id}",
        ok=ok,
        detail=f"A6: the API's is {seconds:+.1f} s from ours, {allowed}",
        fix=None if ok else "set this machine's clock, or raise RECONCILER_CLOCK_SKEW_SECONDS",
    )


_NO_DATE_FIX: Final = "see that no proxy takes the Date header out of the API's replies"


LABELS_MAX: Final = 100_000
"""Of one account (facts 4.24). Every document takes one, and a create that would make one more
fails."""

LABELS_WARNED_AT: Final = 80_000


def _labels(account_id: str, count: int | None) -> Check:
    """A5: a document without its label can prove nothing."""
    if count is None:
        return Check(
            name=f"labels {account_id}",
            ok=False,
            known=False,
            detail="A5: the API did not say how many ad labels the account has",
            fix=f"see in Ads Manager that it has far fewer than {LABELS_MAX:,}",
        )
    ok = count < LABELS_WARNED_AT
    return Check(
        name=f"labels {account_id}",
        ok=ok,
        detail=f"A5: {count:,} of {LABELS_MAX:,} ad labels, each document takes one",
        fix=None if ok else _LABELS_FIX,
    )


_LABELS_FIX: Final = (
    "delete the ad labels rc1-… of documents that were published long ago; never one of a document "
    "that is not at rest"
)


def _failed(name: str, error: ReconcilerError) -> Check:
    detail = "; ".join(error.message.splitlines())
    return Check(name=name, ok=False, detail=detail, fix=error.next_step or None)
