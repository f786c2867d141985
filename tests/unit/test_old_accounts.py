"""How answers about old accounts are scored, what each baseline takes, and how figures are told."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta

import pytest
from rich.console import Console

from fixtures.old_accounts.answers import Answers, Score, score
from fixtures.old_accounts.baselines import (
    PER_NAME_MAX,
    Lack,
    Seen,
    five_stages,
    name_and_time,
    name_only,
)
from fixtures.old_accounts.corpus import Corpus
from fixtures.old_accounts.report import as_json, show_scores
from fixtures.old_accounts.truth import Truth

BEGAN = datetime(2026, 3, 10, 12, 0, 0, 500_000, tzinfo=UTC)

TRUTH = Truth(
    makers={"1": ("d1", "A"), "2": ("d1", "A"), "3": ("d2", "A"), "4": ("d1", "B")},
    saved={"3"},
    deleted={"4"},
)


@pytest.mark.parametrize(
    ("answers", "wanted"),
    [
        pytest.param(Answers(), (0, 0, 0), id="nothing is said"),
        pytest.param(Answers(claimed=[(("d1", "A"), "2")]), (1, 0, 0), id="its own"),
        pytest.param(Answers(claimed=[(("d1", "A"), "3")]), (0, 1, 0), id="another document's"),
        pytest.param(Answers(claimed=[(("d1", "B"), "1")]), (0, 1, 0), id="its own, other name"),
        pytest.param(Answers(claimed=[(("d1", "A"), "9")]), (0, 1, 0), id="a stranger's"),
        pytest.param(Answers(claimed=[(("d2", "A"), "3")]), (0, 1, 0), id="recorded before"),
        pytest.param(Answers(missing=[("d1", "A")]), (0, 0, 1), id="it exists"),
        pytest.param(Answers(missing=[("d1", "B")]), (0, 0, 0), id="it was deleted"),
        pytest.param(Answers(missing=[("d2", "A")]), (0, 0, 0), id="never made"),
        pytest.param(
            Answers(claimed=[(("d1", "A"), "1")], missing=[("d1", "A")]), (1, 0, 1), id="one of two"
        ),
    ],
)
def test_an_answer_is_right_if_that_document_made_that_entity_for_that_name(
    answers: Answers, wanted: tuple[int, int, int]
) -> None:
    scored = score(answers, TRUTH)

    assert (scored.right, scored.wrong, scored.overlooked) == wanted
    assert scored.lost == 2, "what was recorded or deleted is not lost"


def test_shares_are_of_what_was_lost_and_of_all_items() -> None:
    total = Score()
    total.add(Score(items=4, lost=4, right=2, wrong=1, overlooked=1))
    total.add(score(Answers(held=[(("d1", "A"), "contested")] * 4), Truth()))

    assert (total.wrong_per_thousand, total.recovered) == (500, 0.5)
    assert (total.overlooked_share, total.held_share(), total.held_share("twins")) == (0.25, 0.5, 0)
    assert (Score(wrong=1).wrong_per_thousand, Score().recovered) == (None, 1)


def lack(*seconds: float, lacking: int = 1) -> Lack:
    """Rows created so long after the second in which the document began, newest first; their ids
    are these numbers."""
    rows = (
        Seen(
            id=str(at),
            name="A",
            created_at=BEGAN.replace(microsecond=0) + timedelta(seconds=at),
            saved_by=None,
        )
        for at in sorted(seconds, reverse=True)
    )
    return Lack(began_at=BEGAN, lacking=lacking, rows=tuple(rows))


@pytest.mark.parametrize(
    ("lacks", "by_name", "by_time", "by_stages"),
    [
        pytest.param(lack(), [], [], [], id="nothing there"),
        pytest.param(lack(0), ["0"], ["0"], ["0"], id="in the second it began"),
        pytest.param(lack(-1), ["-1"], [], [], id="before it began"),
        pytest.param(lack(2, 5), ["5"], ["2"], [], id="more than lacking"),
        pytest.param(lack(2, 5, lacking=2), ["5", "2"], ["2", "5"], ["5", "2"], id="twins"),
        pytest.param(lack(2, lacking=2), ["2"], ["2"], ["2"], id="one of two"),
    ],
)
def test_a_baseline_takes_what_it_says(
    lacks: Lack, by_name: list[str], by_time: list[str], by_stages: list[str]
) -> None:
    taken = [
        [row.id for row in baseline(lacks)] for baseline in (name_only, name_and_time, five_stages)
    ]

    assert taken == [by_name, by_time, by_stages]


def test_the_five_stages_take_so_many_of_one_name() -> None:
    many = lack(*range(PER_NAME_MAX + 2), lacking=PER_NAME_MAX + 2)

    assert len(list(five_stages(many))) == PER_NAME_MAX


def test_figures_are_told_to_people_and_to_programs() -> None:
    scores = {
        ("none", "name_and_time"): Score(items=3, lost=2, right=1, wrong=1),
        ("none", "never"): score(Answers(held=[(("d1", "A"), "policy")]), TRUTH),
    }
    written = io.StringIO()

    show_scores(Console(file=written, width=150), scores, about="1 account")
    told = json.loads(json.dumps(as_json(Corpus(worlds=1), scores)))

    assert len({len(line) for line in written.getvalue().splitlines()}) == 1, "it aligns"
    assert "1,000" in written.getvalue()
    assert "policy 100.0%" in written.getvalue()
    assert (told["schema"], told["worlds"], told["rates"]["names"]) == ("corpus/1", 1, 12)
    assert [one["wrong_per_thousand"] for one in told["results"]] == [1000, None]
    assert told["results"][1]["held"] == {"policy": 1}
