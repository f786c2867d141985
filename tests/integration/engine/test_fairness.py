"""Fifty thousand documents of one account, or its throttle, keep nobody else's waiting.

What is measured is the order of service, over all machines, not time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from reconciler.serving import Happened, Happening
from tests.integration.engine.engine_stage import IN_PROCESS, EngineStage, Life

MANY: Final = 50_000
LARGE: Final = "act_1001"
OTHERS: Final = ("act_1002", "act_1003", "act_1004")

COPIES = """
INSERT INTO document SELECT (copied).* FROM (
    SELECT jsonb_populate_record(document, jsonb_build_object(
        'id', 'copy-' || n, 'key', 'copy-' || n,
        'mark_part', 'rc1-' || translate(left(md5(n::text), 16), '0189', 'wxyz')
    )) AS copied FROM document, generate_series(1, :many) AS n
) AS copies
"""
COPIED_ITEMS = """
INSERT INTO item SELECT (copied).* FROM (
    SELECT jsonb_populate_record(item, jsonb_build_object('document_id', 'copy-' || n)) AS copied
    FROM item, generate_series(1, :many) AS n
) AS copies
"""


async def crowded(stage: EngineStage) -> None:
    """So many documents of the large account are due, before anybody else's; the engine was told
    of one of them."""
    await stage.queued("again and again", account=LARGE)
    await stage.asked("ALTER TABLE document DISABLE TRIGGER engine_enqueue")
    await stage.asked(COPIES, many=MANY)
    await stage.asked("ALTER TABLE document ENABLE TRIGGER engine_enqueue")
    await stage.asked(COPIED_ITEMS, many=MANY)


def order_of(lives: list[Life]) -> list[str | None]:
    """A list that the documents of all these workers come to as they are taken."""
    order: list[str | None] = []

    def note(happened: Happened) -> None:
        if happened.what is Happening.TAKEN:
            order.append(happened.document_id)

    for life in lives:
        life.on_told = note
    return order


async def published_of_others(stage: EngineStage, name: str) -> list[str]:
    """A document of each other account, queued now; returned once all are published."""
    ids = [await stage.queued(f"{account} {name}", account=account) for account in OTHERS]
    await stage.until_none(
        "SELECT id FROM document WHERE account_id <> :it AND state <> 'published'", it=LARGE
    )
    return ids


async def test_what_others_queue_behind_fifty_thousand_documents_is_among_the_next(
    stage: EngineStage,
) -> None:
    """Two machines with an engine, one without; each account has two lanes, each worker three
    slots. Then the large account is throttled, which everybody honours."""
    stage.limits = replace(stage.limits, account_concurrency=2)
    await crowded(stage)
    lives = [stage.life(), stage.life(), stage.life(IN_PROCESS)]
    order = order_of(lives)
    for life in lives:
        life.start()
    await lives[0].until(lambda: len(order) > 20)
    before = len(order)
    others = await published_of_others(stage, "beside many")
    assert max(order.index(each) for each in others) - before <= MEANWHILE_MAX

    await stage.throttled(LARGE)
    before = len(order)
    others = await published_of_others(stage, "beside a throttle")
    assert set(others) <= set(order[before : before + IN_HAND_MAX + len(others)])
    assert len(order) <= before + IN_HAND_MAX + len(others)


MEANWHILE_MAX: Final = 60
"""Documents of the large account that may be taken while the others' are submitted and the workers
wake: a part in a thousand of what a single line would say."""

IN_HAND_MAX: Final = 6
"""Documents of a throttled account that may just have been claimed when it was: its lanes, and its
share of the worker that has none."""
