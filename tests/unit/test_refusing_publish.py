"""A refused publish says what leads on, and never to make what may exist already."""

from __future__ import annotations

import pytest

from fixtures.samples import at, document, item, lease
from reconciler.errors import WrongState
from reconciler.lifecycle import queued
from reconciler.model import Document, DocumentState, ItemState, Origin
from reconciler.refusing_publish import refuse_imported

D, I = DocumentState, ItemState  # noqa: E741 - the table below is read by its columns

AS_NEW = "submit what is missing as a new document: reconciler submit PLAN.json"
LOOK_FIRST = (
    "look into its old container in Ads Manager first, for what was not recorded may exist "
    f"(docs/old-documents.md); then {AS_NEW}"
)


def imported(state: DocumentState, *items: ItemState) -> Document:
    made = (item(str(number), each) for number, each in enumerate(items))
    held_by = lease() if state is D.PUBLISHING else None
    return document([*made], state, origin=Origin.IMPORTED, lease=held_by)


def next_step_of(refused: Document) -> str | None:
    with pytest.raises(WrongState) as told:
        refuse_imported(refused)
    return told.value.next_step


@pytest.mark.parametrize(
    ("state", "items", "told"),
    [
        (D.PUBLISHING, [I.PENDING], "reconciler recover ID"),
        (D.QUEUED, [I.PENDING], "reconciler recover ID"),
        (D.HELD, [I.HELD, I.ABSENT], "reconciler explain ID"),
        (D.PUBLISHED, [I.CONFIRMED], "reconciler show ID"),
        (
            D.DRAFT,
            [I.WAITING],
            "it never began; submit it as a new document: reconciler submit PLAN.json",
        ),
        (D.PARTLY_PUBLISHED, [I.CONFIRMED, I.PENDING], LOOK_FIRST),
        (D.FAILED, [I.PENDING], LOOK_FIRST),
        (D.CANCELLED, [I.HELD], LOOK_FIRST),
        (D.PARTLY_PUBLISHED, [I.CONFIRMED, I.ABSENT], AS_NEW),
        (D.FAILED, [I.ABSENT], AS_NEW),
    ],
)
def test_a_publish_of_an_imported_document_leads_on_by_what_is_known_of_it(
    state: DocumentState, items: list[ItemState], told: str
) -> None:
    refused = imported(state, *items)

    assert next_step_of(refused) == told.replace("ID", refused.id)


def test_one_that_may_still_run_elsewhere_waits_for_its_line() -> None:
    running = document([item(state=I.PENDING)], D.PUBLISHING, origin=Origin.IMPORTED, lease=None)

    assert next_step_of(running) == (
        "import its line again with a later time, or with its end: "
        "reconciler import FILE --worker-gone-before TIME"
    )


def test_so_it_leads_on_also_where_the_queue_refuses_it() -> None:
    with pytest.raises(WrongState, match="never published") as told:
        queued(imported(D.FAILED, I.PENDING), at(9))

    assert told.value.next_step == LOOK_FIRST
