"""A story of requests under any mixture of faults, and all that the fake told meanwhile."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import httpx
from hypothesis import strategies as st

from fixtures.graph import REGISTRY, FakeGraph, SteppedClock, in_process, small_world
from tests.contract.fake_graph.fault_requests import AD, ADS, LISTING

IDS = frozenset({"id", "object_id", "copied_id"})
VARIED = {
    "error_after_commit:shape=html",
    "error_before_commit:shape=empty_error",
    "html_200:commit=false",
    "late_commit:seconds=20,then=error",
    "null_child:commit=false",
    "null_child:late_seconds=9",
    "batch_timed_out:commit=false",
    "misaligned_batch:how=swapped",
    "throttle:code=17,commit=true",
    "drift:created=2,deleted=1",
    "listing_lag:edge=adset/ads,seconds=30",
    "limit_cap:rows=1,how=error",
    "too_heavy:limit_max=1",
    "odd_child:how=no_body,place=1",
}
STANDING = {name for name, make in REGISTRY.items() if make().install is not None}


def fault_texts() -> st.SearchStrategy[str]:
    """Every fault there is, with any timing that it takes."""
    timed = st.builds(
        lambda name, nth, count, chance: (
            f"{name}{',' if ':' in name else ':'}nth={nth},count={count},chance={chance}"
        ),
        st.sampled_from(sorted((set(REGISTRY) - STANDING) | _striking(VARIED))),
        st.integers(1, 3),
        st.integers(1, 3),
        st.sampled_from([1.0, 0.5]),
    )
    return timed | st.sampled_from(sorted(STANDING | (VARIED - _striking(VARIED))))


def _striking(texts: set[str]) -> set[str]:
    return {each for each in texts if each.partition(":")[0] not in STANDING}


DEEDS = ("create", "batch", "copy", "edit", "delete", "archive", "page", "log", "read", "wait")


@dataclass(frozen=True, slots=True)
class Story:
    """What is done, under which faults; `seed` decides their chances."""

    faults: Sequence[str]
    deeds: Sequence[str]
    seed: int


stories = st.builds(
    Story,
    st.lists(fault_texts(), max_size=5),
    st.lists(st.sampled_from(DEEDS), min_size=1, max_size=12),
    st.integers(0, 99),
)


@dataclass(slots=True)
class Played:
    """A story in progress. `replies` are status and text; a lost one is its error's name."""

    clock: SteppedClock = field(default_factory=SteppedClock)
    replies: list[tuple[int, str]] = field(default_factory=list)

    async def through(self, story: Story) -> FakeGraph:
        """Play it to its end; time passes only where something waits."""
        graph = FakeGraph(small_world(self.clock), seed=story.seed, sleep=self._pass)
        self.clock.advance(600)
        for fault in story.faults:
            graph.faults.add(fault)
        async with in_process(graph) as client:
            for number, deed in enumerate(story.deeds):
                await self._do(graph, client, deed, number)
        return graph

    async def _pass(self, seconds: float) -> None:
        self.clock.advance(seconds)

    async def _do(
        self, graph: FakeGraph, client: httpx.AsyncClient, deed: str, number: int
    ) -> None:
        newest = [*graph.world.live("ad"), graph.world.entities["2001"]][0].id
        requests: dict[str, tuple[str, str, dict[str, str]]] = {
            "create": ("POST", ADS, AD | {"name": f"{number}", "adlabels": '[{"name":"rc1-x"}]'}),
            "batch": ("POST", "/", {"batch": batch_of(f"{number}.0", f"{number}.1")}),
            "copy": ("POST", f"/v26.0/{newest}/copies", {}),
            "edit": ("POST", f"/v26.0/{newest}", {"name": f"edited {number}"}),
            "delete": ("DELETE", f"/v26.0/{newest}", {}),
            "archive": ("POST", f"/v26.0/{newest}", {"status": "ARCHIVED"}),
            "page": ("GET", f"{LISTING}?limit=2&fields=name", {}),
            "log": ("GET", "/v26.0/act_1001/activities?since=0&fields=object_id", {}),
            "read": ("GET", f"/v26.0/{newest}?fields=name", {}),
        }
        if deed == "wait":
            self.clock.advance(10)
            return
        if newest == "2001" and deed in {"delete", "archive"}:
            return
        method, path, data = requests[deed]
        try:
            reply = await client.request(method, path, data=data or None)
        except httpx.HTTPError as lost:
            self.replies.append((0, type(lost).__name__))
        else:
            self.replies.append((reply.status_code, reply.text))

    def told_ids(self) -> set[str]:
        """Every id in any reply, also inside the children of batches."""
        return {each for _, text in self.replies for each in ids_in(text)}


def batch_of(*names: str) -> str:
    operations = [
        {"method": "POST", "relative_url": "act_1001/ads", "body": urlencode(AD | {"name": name})}
        for name in names
    ]
    return json.dumps(operations)


def ids_in(told: Any) -> Iterator[str]:
    """Ids wherever they stand; a text that is JSON is looked into."""
    if isinstance(told, str):
        try:
            inner = json.loads(told)
        except ValueError:
            return
        if isinstance(inner, dict | list):
            yield from ids_in(inner)
    elif isinstance(told, list):
        for each in told:
            yield from ids_in(each)
    elif isinstance(told, dict):
        for name, value in told.items():
            if name in IDS:
                yield str(value)
            else:
                yield from ids_in(value)
