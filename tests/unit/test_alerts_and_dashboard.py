"""The alert rules and the dashboard rest on metrics, and on labels of them, that there are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from importlib import resources
from itertools import combinations
from typing import Any, Final

import pytest
from prometheus_client.metrics import MetricWrapperBase

from adapters.observing import metrics

SHIPPED: Final = resources.files("adapters.observing")
BOARD: Final[dict[str, Any]] = json.loads(SHIPPED.joinpath("dashboard.json").read_text("utf-8"))
RULES: Final = SHIPPED.joinpath("alerts.yml").read_text("utf-8")
PANELS: Final[list[dict[str, Any]]] = [panel for panel in BOARD["panels"] if panel["type"] != "row"]
ENDINGS: Final = {
    "counter": ("_total",),
    "gauge": ("",),
    "histogram": ("_bucket", "_sum", "_count"),
}
FROM_PROMETHEUS: Final = frozenset({"job", "instance"})
WANTED: Final = frozenset(
    {
        "documents",
        "oldest_unsettled_seconds",
        "imported_unsettled_oldest_seconds",
        "human_queue_oldest_seconds",
        "worker_seen_seconds",
        "crash_signatures_total",
        "verdicts_total",
        "listing_incomplete_total",
        "fence_rejections_total",
        "commit_unknown_total",
        "surplus_total",
        "graph_requests_total",
        "throttle_wait_seconds_total",
        "invariant_violations_total",
    }
)


def _shown() -> Mapping[str, frozenset[str]]:
    """Each series that a process shows, with the labels it bears."""
    return {
        f"{told.name}{ending}": frozenset(one._labelnames)
        for one in vars(metrics).values()
        if isinstance(one, MetricWrapperBase)
        for told in one.describe()
        for ending in ENDINGS[told.type]
    }


def _alerts() -> list[str]:
    found: list[str] = re.findall(r"expr: (.+?)\n +(?:labels|for):", RULES, re.DOTALL)
    return found


def _exprs() -> Iterator[tuple[str, str]]:
    """What is asked, with the legend that names its labels; an alert has none."""
    for expr in _alerts():
        yield expr, ""
    for panel in PANELS:
        for target in panel["targets"]:
            yield target["expr"], target["legendFormat"]


def _labels(expr: str, legend: str) -> set[str]:
    matched = re.findall(r"(\w+) *(?:=~|!~|!=|=) *\"", expr)
    grouped = ",".join(re.findall(r"\b(?:by|without) *\(([^)]*)\)", expr)).split(",")
    return {*matched, *(one.strip() for one in grouped if one), *re.findall(r"{{(\w+)}}", legend)}


@pytest.mark.parametrize(("expr", "legend"), list(_exprs()))
def test_what_is_asked_of_prometheus_is_a_metric_with_labels_that_it_bears(
    expr: str, legend: str
) -> None:
    shown = _shown()
    named = re.findall(r"reconciler_\w+", expr)

    assert named
    for name in named:
        assert name in shown
        assert _labels(expr, legend) <= shown[name] | FROM_PROMETHEUS, name


def test_every_alert_is_among_what_is_asked() -> None:
    assert len(_alerts()) == RULES.count("- alert:") == 8


def test_each_figure_an_operator_is_to_see_has_a_panel() -> None:
    drawn = {
        name
        for panel in PANELS
        for target in panel["targets"]
        for name in re.findall(r"reconciler_(\w+)", target["expr"])
    }

    assert drawn >= WANTED


def test_the_dashboard_asks_the_prometheus_that_its_reader_chooses() -> None:
    [source, job] = BOARD["templating"]["list"]

    assert (source["type"], source["query"]) == ("datasource", "prometheus")
    chosen = {"type": "prometheus", "uid": f"${{{source['name']}}}"}
    assert job["datasource"] == chosen
    assert job["query"]["query"] == job["definition"]
    assert set(re.findall(r"reconciler_\w+", job["definition"])) <= _shown().keys()
    for panel in PANELS:
        asked = [panel["datasource"], *(target["datasource"] for target in panel["targets"])]
        assert asked == [chosen] * len(asked)
        for target in panel["targets"]:
            assert target["expr"].count("reconciler_") == target["expr"].count('{job=~"$job"}')


def test_every_panel_says_in_a_sentence_what_it_shows_and_in_which_unit() -> None:
    for panel in PANELS:
        assert re.fullmatch(r"[A-Z].{20,}\.", panel["description"]), panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"] in {"s", "short", "reqps"}
        assert [target["refId"] for target in panel["targets"]] == list("ABC")[
            : len(panel["targets"])
        ]


def test_the_dashboard_is_whole() -> None:
    ids = [panel["id"] for panel in BOARD["panels"]]

    assert BOARD["schemaVersion"] >= 36  # the first in which every query names its source
    assert "id" not in BOARD  # Grafana gives one; a given one may be another dashboard's
    assert len(set(ids)) == len(ids)
    for one, other in combinations(BOARD["panels"], 2):
        assert not _overlap(one["gridPos"], other["gridPos"]), (one["title"], other["title"])
    for panel in BOARD["panels"]:
        at = panel["gridPos"]
        assert 0 <= at["x"] < at["x"] + at["w"] <= 24


def _overlap(one: Mapping[str, int], other: Mapping[str, int]) -> bool:
    beside = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
    below = one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
    return not (beside or below)
