"""A person takes another item's row: the preview, the answer and the evidence say what it costs."""

from __future__ import annotations

from typing import Any

from fixtures.stage import Stage
from tests.integration.test_resolve_sibling import renamed
from tests.integration.web.page.browsing import Browser, browsed, decision_of, place_of
from tests.integration.web.page.markup import page_of


def test_what_a_decision_costs_a_sibling_is_on_the_preview_and_in_every_answer(
    stage: Stage,
) -> None:
    document_id, made = renamed(stage)
    place, given = decision_of(document_id, "a2"), {"reason": "seen in Ads Manager"}
    body = {"decision": "adopt", "external_id": made, "override": True, **given}

    async def browsing(browser: Browser) -> tuple[str, Any, Any, str]:
        form = (await browser.page(place)).one("form", class_="decide")
        preview = await browser.send(
            place, form, step="preview", choice="other", other_id=made, override="1", **given
        )
        one = f"/v1{place_of(document_id)}"
        answer = await browser.client.post(f"{one}/items/a2/resolution", json=body)
        evidence = (await browser.client.get(f"{one}/evidence")).json()
        said = page_of(preview.text).one("p", role="alert").text
        return said, answer.json(), evidence, (await browser.page(place_of(document_id))).text

    alert, answer, evidence, page = browsed(stage, browsing)

    (warning,) = answer["warnings"]
    assert "a3 is looked for in vain, and made again" in warning
    assert warning in alert
    (judged,) = [one for one in evidence["items"] if one["item"] == "a2"]
    assert judged["decisions"][0]["warnings"] == [warning]
    assert f"WARNING: {warning}" in page
