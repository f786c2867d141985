"""Batches over a heap with ground truth: what is claimed is what was made, and nothing else.

`HEAP_DOCUMENTS` and `HEAP_SEED` in the environment choose a larger heap, or another.
"""

import os

import pytest

from fixtures.corpus.rules import BASELINES, baseline, product
from fixtures.corpus.world import Recipe, heap

RECIPE = Recipe(
    documents=int(os.environ.get("HEAP_DOCUMENTS", "300")),
    seed=int(os.environ.get("HEAP_SEED", "0")),
)


def with_strangers(rate: float) -> Recipe:
    """The same with rows that other people made, half of them in the worst minutes."""
    return Recipe(documents=RECIPE.documents, seed=RECIPE.seed, strangers=rate)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("strangers", [0.0, 0.2])
def test_with_marks_nothing_wrong_is_claimed_and_everything_is_recovered(strangers: float) -> None:
    scored = product(with_strangers(strangers), marked=True)

    assert scored.wrong == 0, RECIPE
    assert scored.right == scored.lost > RECIPE.documents / 2, RECIPE


@pytest.mark.timeout(900)
def test_of_imported_documents_nothing_wrong_is_claimed_where_nobody_else_made_the_name() -> None:
    scored = product(RECIPE)

    assert scored.wrong == 0, RECIPE
    assert scored.share > 0.9, RECIPE


def test_the_rules_that_people_write_first_claim_wrongly_on_the_same_heap() -> None:
    scored = {name: baseline(RECIPE, rule) for name, rule in BASELINES.items()}

    assert all(one.wrong > RECIPE.documents / 100 for one in scored.values()), scored


def test_a_recipe_gives_one_heap() -> None:
    assert heap(RECIPE) == heap(RECIPE)
    assert heap(RECIPE) != heap(Recipe(documents=RECIPE.documents, seed=RECIPE.seed + 1))
