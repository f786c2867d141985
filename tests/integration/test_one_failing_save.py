"""A statement that the database refuses spoils its own document and nothing after it."""

from __future__ import annotations

from fixtures.seeded_chance import SeededChance
from reconciler.limits import Limits
from reconciler.plan import read_plan
from reconciler.submit import submit
from tests.crash.plans import ads
from tests.databases import asked, opened


class OneIdTwice(SeededChance):
    """Gives the fourth document the id of the third, which a constraint forbids."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[str] = []

    def document_id(self) -> str:
        """The next id."""
        fresh = super().document_id()
        self.given.append(self.given[-1] if len(self.given) == 3 else fresh)
        return self.given[-1]


async def test_nine_of_ten_are_saved_and_the_fourth_is_told_apart(ledger_url: str) -> None:
    """R088: one connection after the other, so whatever a failure left open would be met again."""
    chance, limits = OneIdTwice(), Limits()
    failed: dict[int, str] = {}
    async with opened(ledger_url) as ledger:
        for number in range(1, 11):
            plan = read_plan(ads(f"Spring / {number}"), echo=limits.echo)
            try:
                await submit(
                    plan,
                    key=None,
                    new=False,
                    publish=True,
                    ledger=ledger,
                    chance=chance,
                    limits=limits,
                )
            except AssertionError as error:  # our own mistake, as every refused statement is
                failed[number] = str(error)

    assert list(failed) == [4]
    assert "refused what we asked of it" in failed[4]
    kept = asked(ledger_url, "SELECT id FROM document")
    assert {row["id"] for row in kept} == set(chance.given)
    assert len(kept) == 9
