"""Which documents are walked and judged together."""

import random

from reconciler.batch_groups import Tying
from reconciler.listing import Place
from reconciler.model import Container, ContainerKind, Kind


def place(number: int) -> Place:
    return Container(kind=ContainerKind.ADSET, id=str(number)), Kind.AD


def tying(**documents: list[int]) -> Tying:
    tied = Tying()
    for document_id, numbers in documents.items():
        tied.add(document_id, frozenset(map(place, numbers)))
    return tied


def groups(tied: Tying) -> list[tuple[list[str], list[int]]]:
    return [
        (list(group.documents), [int(container.id) for container, _ in group.places])
        for group in tied.groups()
    ]


def test_documents_of_one_place_are_one_group() -> None:
    assert groups(tying(a=[1], b=[2], c=[1])) == [(["a", "c"], [1]), (["b"], [2])]


def test_a_document_of_two_places_ties_both_together() -> None:
    assert groups(tying(a=[1], b=[2], c=[3], d=[1, 3])) == [(["a", "c", "d"], [1, 3]), (["b"], [2])]


def test_what_has_nothing_to_find_is_a_group_without_a_place() -> None:
    assert groups(tying(a=[], b=[1], c=[])) == [(["a", "c"], []), (["b"], [1])]


def test_every_document_and_every_place_is_in_one_group_in_whatever_order_they_come() -> None:
    for seed in range(200):
        dice = random.Random(seed)
        wanted = {f"d{n:02}": dice.sample(range(12), dice.randint(0, 3)) for n in range(15)}
        shuffled = dict(dice.sample(sorted(wanted.items()), len(wanted)))

        found = groups(tying(**wanted))

        assert groups(tying(**shuffled)) == found, f"seed {seed}"
        assert sorted(each for ids, _ in found for each in ids) == sorted(wanted), f"seed {seed}"
        places = [number for _, numbers in found for number in numbers]
        assert len(places) == len(set(places)), f"seed {seed}"
        for ids, numbers in found:
            assert all(set(wanted[each]) <= set(numbers) for each in ids), f"seed {seed}"


def test_ten_thousand_documents_that_share_one_place_are_tied_in_no_time() -> None:
    tied = Tying()
    for number in range(10_000):
        tied.add(f"d{number}", frozenset({place(0), place(number + 1)}))

    (group,) = tied.groups()

    assert len(group.places) == 10_001
