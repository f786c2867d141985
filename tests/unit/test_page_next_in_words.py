"""Who meets a problem in a browser is led to pages, not told to send requests."""

from __future__ import annotations

import pytest

from adapters.web.page.next_in_words import Part, in_words

ALL = "/v1/documents"


@pytest.mark.parametrize(
    ("next_step", "wanted"),
    [
        (
            f"GET {ALL} lists those you may see",
            [Part("the page of all documents", "/documents"), Part(" lists those you may see")],
        ),
        (
            f"reconciler recover a%2Fb, then GET {ALL}/a%2Fb/evidence",
            [
                Part("reconciler recover a%2Fb, then "),
                Part("the evidence on its page", "/documents/a%2Fb"),
            ],
        ),
        (f"GET {ALL}/7; then", [Part("its page", "/documents/7"), Part("; then")]),
        (f"POST {ALL}/7/publish", [Part("Publish on its page", "/documents/7")]),
        (f"POST {ALL}/7/cancel", [Part("Cancel on its page", "/documents/7")]),
        ("see GET /openapi.json", [Part("go back to where you came from")]),
        (
            f"POST {ALL} under an Idempotency-Key that is new",  # a plan is handed in by a program
            [Part(f"POST {ALL} under an Idempotency-Key that is new")],
        ),
        ("go on in 3 s", [Part("go on in 3 s")]),
    ],
)
def test_a_request_that_a_page_stands_for_is_a_link(next_step: str, wanted: list[Part]) -> None:
    assert in_words(next_step, ALL) == wanted
