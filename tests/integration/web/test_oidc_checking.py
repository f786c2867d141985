"""What `doctor` says of the company's own sign-in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from adapters.settings import Settings, load_settings
from adapters.shapes import Check
from adapters.web.oidc import issuer_check
from adapters.web.oidc.issuer import WELL_KNOWN
from tests.databases import new_file
from tests.integration.web.token_issuer import AUDIENCE, JWKS, URL, ec_key, rsa_key, told
from tests.postgres import GRAPH_URL

ITSELF = httpx.Response(200, json={"issuer": URL, "jwks_uri": JWKS})


def settings(folder: Path, **changed: Any) -> Settings:
    given = {"oidc_issuer": URL, "oidc_audience": AUDIENCE} | changed
    return load_settings(
        database_url=new_file(folder), graph_url=GRAPH_URL, graph_token="none", **given
    )


async def line(folder: Path, *keys: dict[str, Any], status: int = 200) -> Check:
    def answer(request: httpx.Request) -> httpx.Response:
        is_about_itself = str(request.url) == URL + WELL_KNOWN
        return ITSELF if is_about_itself else httpx.Response(status, json={"keys": list(keys)})

    check = await issuer_check(settings(folder), httpx.MockTransport(answer))
    assert check is not None
    return check


async def test_without_an_issuer_there_is_no_line(tmp_path: Path) -> None:
    assert await issuer_check(settings(tmp_path, oidc_issuer=None, oidc_audience=None)) is None


async def test_an_issuer_that_tells_usable_keys_is_fine(tmp_path: Path) -> None:
    check = await line(tmp_path, told("one", rsa_key(1)), told("two", ec_key(1)))

    assert (check.ok, check.detail) == (True, f"{URL} tells 2 keys for ES256, RS256")


@pytest.mark.parametrize(
    ("keys", "status", "says", "mends"),
    [
        pytest.param((), 503, "it answered 503", "OIDC_JWKS_URL", id="it does not answer"),
        pytest.param((), 200, "none of the 0 keys", "kid", id="it tells no key"),
        pytest.param(({"kty": "oct", "kid": "one"},), 200, "none of the 1", "RS256", id="a secret"),
        pytest.param((told("", rsa_key(1)) | {"kid": None},), 200, "none of", "kid", id="no kid"),
    ],
)
async def test_what_cannot_open_anything_is_said_with_what_mends_it(
    tmp_path: Path, keys: tuple[dict[str, Any], ...], status: int, says: str, mends: str
) -> None:
    check = await line(tmp_path, *keys, status=status)

    assert not check.ok
    assert says in check.detail
    assert mends in str(check.fix)


async def test_a_program_without_the_extra_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.web.oidc.access.find_spec", lambda _: None)

    check = await line(tmp_path, told("one", rsa_key(1)))

    assert not check.ok
    assert "pip install" in str(check.fix)
