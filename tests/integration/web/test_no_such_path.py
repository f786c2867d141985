"""Where there is no path, a problem says what may have been meant."""

from __future__ import annotations

import httpx
import pytest

from fixtures.stage import Stage
from tests.crash.plans import ONE_AD
from tests.integration.web.in_process import asked
from tests.integration.web.test_documents import DOCUMENTS, code_of


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "{all}/"), ("POST", "{all}/"), ("GET", "{all}/{id}/"), ("POST", "{all}/{id}/publish/"),
     ("GET", "/metrics/")],
)  # fmt: skip
def test_a_slash_too_many_leads_nowhere_and_says_so(stage: Stage, method: str, path: str) -> None:
    asked_for = path.format(all=DOCUMENTS, id=stage.submit(ONE_AD))

    async def asking(client: httpx.AsyncClient) -> httpx.Response:
        return await client.request(method, asked_for)

    answer = asked(stage, asking)

    assert code_of(answer) == (404, "not_found")
    assert "without the slash" in answer.json()["next"]
