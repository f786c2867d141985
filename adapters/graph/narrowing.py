"""Asks the API to list only what bears our label, as long as an account's answers honour that.

A saving and nothing more: whether an edge understands `filtering` by labels is not established
(facts 5.4, 5.5, section 11). So every row is looked at again, and what a narrowed walk does not
show is not missing. The first row without the label, or a refusal, ends it for the account.
"""

from __future__ import annotations

import json
import logging
from collections import OrderedDict
from dataclasses import replace
from typing import Final

from reconciler.listing import Keep, Shown
from reconciler.model import Kind

from .paths import Edge

KINDS: Final = frozenset({Kind.CAMPAIGN, Kind.ADSET, Kind.AD})
"""Whose edges take `filtering` (facts 5.4)."""

ACCOUNTS_MAX: Final = 10_000

IGNORED: Final = "it listed rows without the label"

LOG: Final = logging.getLogger("reconciler.graph")


class Strayed(Exception):
    """A row came that was not asked for."""


class Narrowing:
    """One per client. Accounts are named as `account_path` names them."""

    def __init__(self, *, is_on: bool) -> None:
        self._is_on = is_on
        self._off: OrderedDict[str, str] = OrderedDict()

    def is_on(self, account: str, kind: Kind) -> bool:
        """Whether a listing of this kind may be asked for narrowed."""
        return self._is_on and kind in KINDS and account not in self._off

    def turn_off(self, account: str, why: str) -> None:
        """For as long as this process lives; said once."""
        if account in self._off:
            return
        self._off[account] = why
        if len(self._off) > ACCOUNTS_MAX:
            self._off.popitem(last=False)
        LOG.warning(
            "%s does not narrow listings to our label, so they are read whole: %s", account, why
        )


def narrowed(edge: Edge, label: str) -> Edge:
    """The same edge, asked for what bears this label."""
    clause = {"field": "adlabels", "operator": "ANY", "value": [label]}
    parameters = {**edge.parameters, "filtering": json.dumps([clause])}
    return replace(edge, parameters=parameters)


def only_with(label: str, keep: Keep) -> Keep:
    """What `keep` keeps; raises `Strayed` at the first row that does not bear the label."""
    wanted = frozenset({label})

    def keeps(row: Shown) -> bool:
        if not row.bears(wanted):
            raise Strayed
        return keep(row)

    return keeps
