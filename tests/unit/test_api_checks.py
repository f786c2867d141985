"""What the doctor reads from a reply's headers, and from a token's permissions."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from adapters.bootstrap.api_checks import version_check
from adapters.bootstrap.scopes import scopes_told

SERVED, WARNING = "facebook-api-version", "X-Ad-Api-Version-Warning"


@pytest.mark.parametrize(
    ("headers", "status", "said"),
    [
        ({SERVED: "v26.0"}, "ok", "v26.0 answers"),
        ({SERVED: "v27.0"}, "failed", "v26.0 is asked for, v27.0 answers"),
        ({SERVED: "v26.0", WARNING: "upgraded"}, "failed", "the API warns: upgraded"),
        ({WARNING: "upgraded"}, "failed", "the API warns: upgraded"),
    ],
)
def test_a_version_that_is_not_the_one_asked_for_is_warned_of(
    headers: dict[str, str], status: str, said: str
) -> None:
    """Facts 7.7: an expired version is served by another without a word."""
    check = version_check("act_1", httpx.Headers(headers), "v26.0")

    assert check is not None
    assert (check.status, said in check.detail) == (status, True)
    assert (check.fix is None) == check.ok


def test_a_reply_that_tells_no_version_has_no_line() -> None:
    assert version_check("act_1", httpx.Headers(), "v26.0") is None


def row(permission: str, status: str = "granted") -> dict[str, str]:
    return {"permission": permission, "status": status}


@pytest.mark.parametrize(
    ("rows", "status", "said"),
    [
        ([row("ads_management"), row("public_profile")], "ok", "ads_management is granted"),
        ([row("ads_management"), row("pages_messaging")], "ok", "broader than needed: pages_mess"),
        ([row("ads_read")], "failed", "ads_management is not granted; granted: ads_read"),
        ([row("ads_management", "declined")], "failed", "is declined; granted: none"),
        ([row("ads_management", "expired"), row("ads_read")], "failed", "is expired; granted: ads"),
        ([row("ads_management"), row("ads_management", "declined")], "failed", "granted: none"),
        (["ads_management", None, {"permission": "ads_management"}], "failed", "granted: none"),
        ([{"permission": 7, "status": "granted"}], "failed", "is not granted; granted: none"),
    ],
)
def test_a_token_too_narrow_fails_and_one_too_broad_is_said(
    rows: list[Any], status: str, said: str
) -> None:
    check = scopes_told("act_1", rows)

    assert (check.status, said in check.detail) == (status, True)
