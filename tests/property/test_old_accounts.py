"""On drawn accounts with ground truth: what each policy claims wrongly, beside three baselines.

`CORPUS_SEEDS` in the environment, two numbers with a colon, chooses others; `scripts/corpus` has
the figures of many.
"""

from __future__ import annotations

import os
from functools import cache

import pytest

from fixtures.old_accounts.answers import Score
from fixtures.old_accounts.baselines import BASELINES
from fixtures.old_accounts.corpus import Corpus, Scores, measured
from fixtures.old_accounts.past import draw
from fixtures.old_accounts.rates import STRANGERS, UNTOUCHED, Rates
from fixtures.old_accounts.ways import ALL_KNOWN, HALF_KNOWN, NEVER, NONE_KNOWN, WITH_MARKS

FIRST, LAST = map(int, os.environ.get("CORPUS_SEEDS", "1000:1006").split(":"))
WRONG_MAX = 150
"""Wrong claims per 1,000 right ones by name and time where one name in twenty has a stranger."""

pytestmark = pytest.mark.timeout(600)  # half a minute on an idle core


@cache
def scores() -> Scores:
    """Of all tests here: nobody edited anything, every clock is right."""
    ways = (WITH_MARKS, ALL_KNOWN, HALF_KNOWN, NONE_KNOWN, NEVER, *BASELINES)
    corpus = Corpus(seed=FIRST, worlds=LAST - FIRST, rates=UNTOUCHED, ways=ways)
    return measured(corpus)


def of(way: str, strangers: str = "none") -> Score:
    return scores()[strangers, way]


def wrong(way: str, strangers: str) -> float:
    rate = of(way, strangers).wrong_per_thousand
    assert rate is not None, f"{way} claimed nothing rightly, seeds {FIRST} to {LAST}"
    return rate


@pytest.mark.parametrize("strangers", STRANGERS)
def test_with_marks_nothing_is_claimed_wrongly_and_everything_is_recovered(strangers: str) -> None:
    score = of(WITH_MARKS, strangers)

    assert score.lost > 0
    assert (score.wrong, score.right, score.overlooked) == (0, score.lost, 0), (FIRST, score)


@pytest.mark.parametrize("strangers", STRANGERS)
@pytest.mark.parametrize("way", [NEVER, NONE_KNOWN])
def test_where_the_policy_refuses_nothing_is_claimed(way: str, strangers: str) -> None:
    score = of(way, strangers)

    assert (score.right, score.wrong, score.overlooked) == (0, 0, 0), (FIRST, score)
    assert score.held == {"policy": score.items}
    assert score.items > 0


def test_by_name_and_time_nothing_is_claimed_wrongly_where_nobody_else_makes_the_names() -> None:
    score = of(ALL_KNOWN)

    assert (score.wrong, score.overlooked) == (0, 0), (FIRST, score)
    assert score.recovered > 0.5, (FIRST, score)


def test_by_name_and_time_few_are_wrong_where_one_name_in_twenty_has_a_stranger() -> None:
    assert wrong(ALL_KNOWN, "some") < WRONG_MAX, (FIRST, of(ALL_KNOWN, "some"))


@pytest.mark.parametrize("strangers", STRANGERS)
@pytest.mark.parametrize("baseline", BASELINES)
@pytest.mark.parametrize("way", [ALL_KNOWN, HALF_KNOWN])
def test_name_and_time_is_wrong_less_often_than_each_baseline(
    way: str, baseline: str, strangers: str
) -> None:
    assert wrong(way, strangers) < wrong(baseline, strangers), (FIRST, strangers)


def test_healthy_documents_that_nobody_imported_are_what_makes_claims_wrong() -> None:
    """Why `import` takes finished documents too."""
    assert of(ALL_KNOWN).wrong == 0 < of(HALF_KNOWN).wrong, FIRST


def test_what_people_did_to_ours_before_the_recovery_is_overlooked_never_claimed_for_another() -> (
    None
):
    """Renamed and moved ones read as missing; archived ones are found, deleted ones are gone."""
    rates = Rates(renamed=0.1, moved=0.1, archived=0.1, deleted=0.1, clock_off=0.0, names=40)
    corpus = Corpus(seed=FIRST, worlds=LAST - FIRST, rates=rates, ways=(ALL_KNOWN, WITH_MARKS))
    told = measured(corpus)

    name_and_time, marked = told["none", ALL_KNOWN], told["none", WITH_MARKS]
    assert name_and_time.overlooked > 0, FIRST
    assert marked.wrong == 0, (FIRST, marked)
    assert set(marked.held) <= {"mark_lost"}, (FIRST, marked)


def test_a_seed_draws_one_past_and_strangers_change_nothing_else() -> None:
    quiet, busy = draw(FIRST, Rates()), draw(FIRST, Rates(strangers=0.5))

    assert draw(FIRST, Rates()) == quiet != draw(FIRST + 1, Rates())
    assert (quiet.documents, quiet.clock_off) == (busy.documents, busy.clock_off)
    assert quiet.strangers == ()
    assert busy.strangers
