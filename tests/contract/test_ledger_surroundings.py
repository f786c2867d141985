"""The unique binding, and what a document sees of the others in its account."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest

from reconciler.errors import BindingTaken
from reconciler.model import (
    Container,
    ContainerKind,
    DocumentState,
    Grade,
    Item,
    ItemState,
    Kind,
)
from reconciler.ports import Anyhow, Around, Binding, Rival, Surroundings
from tests.contract.ledger_documents import (
    ADSET,
    MINUTE,
    accepting,
    attempt,
    bound,
    call,
    document,
    intent,
    item,
    pending,
    put,
    setting,
    unchanged,
    with_items,
)
from tests.contract.ledgers import NOON, OpenLedger

# --- one entity, one intent ------------------------------------------------------------------


async def test_an_id_bound_by_another_document_is_refused_by_name(ledger: OpenLedger) -> None:
    await put(ledger, document("d1", bound("a1", "5")), document("d2", item("a1"), item("a2")))
    before = await ledger.read("d2")

    with pytest.raises(BindingTaken) as refused:
        await ledger.change("d2", Anyhow(), with_items(bound("a1", "6"), bound("a2", "5")))

    assert refused.value.external_id == "5"
    assert await ledger.read("d2") == before
    assert await ledger.change("d2", Anyhow(), with_items(bound("a1", "6"))) is not None


@pytest.mark.parametrize("only", [None, {"a2"}], ids=["whole", "some items"])
async def test_an_id_bound_by_another_item_of_the_document_is_refused(
    ledger: OpenLedger, only: set[str] | None
) -> None:
    await put(ledger, document("d1", bound("a1", "5"), item("a2")))

    with pytest.raises(BindingTaken):
        await ledger.change("d1", Anyhow(), with_items(bound("a2", "5")), only=only)


async def test_one_id_for_two_items_of_one_change_is_refused(ledger: OpenLedger) -> None:
    await put(ledger, document("d1", item("a1"), item("a2"), item("a3")))
    bindings = (bound("a1", "6"), bound("a2", "5"), bound("a3", "5"))

    with pytest.raises(BindingTaken) as refused:
        await ledger.change("d1", Anyhow(), with_items(*bindings))

    assert refused.value.external_id == "5"


async def test_a_new_document_may_not_bring_an_id_that_is_bound(ledger: OpenLedger) -> None:
    await put(ledger, document("d1", bound("a1", "5")))

    with pytest.raises(BindingTaken):
        await ledger.submit("d2", accepting(document("d2", bound("a1", "5"))))

    counts, _ = await ledger.summaries()
    assert counts == {DocumentState.DRAFT: 1}


async def test_two_creatives_may_bear_one_id(ledger: OpenLedger) -> None:
    """Facts 4.9: the API may answer two creates of a creative with one id."""
    creatives = [bound(key, "5", kind=Kind.ADCREATIVE) for key in ("a1", "a2")]
    await put(ledger, document("d1", *creatives), document("d2", bound("a1", "5")))


async def test_an_id_is_bound_within_its_account(ledger: OpenLedger) -> None:
    await put(
        ledger,
        document("d1", bound("a1", "5")),
        document("d2", bound("a1", "5"), account_id="act_2"),
    )


async def test_ids_may_change_hands_within_one_change(ledger: OpenLedger) -> None:
    await put(ledger, document("d1", bound("a1", "5"), bound("a2", "6")))

    view = await ledger.change(
        "d1", Anyhow(), with_items(bound("a1", "6"), bound("a2", "5", Grade.PERSON))
    )

    assert view is not None
    assert await ledger.read("d1") == view


async def test_an_id_that_was_given_up_is_free(ledger: OpenLedger) -> None:
    given_up = item("a1", state=ItemState.HELD, intent=intent())
    await put(ledger, document("d1", bound("a1", "5")), document("d2", item("a1")))
    await ledger.change("d1", Anyhow(), with_items(given_up))

    assert await ledger.change("d2", Anyhow(), with_items(bound("a1", "5"))) is not None


# --- bindings and rivals ---------------------------------------------------------------------

NAME: Final = "Spring / 1"
ASKED: Final = Around(names=frozenset({(Kind.AD, "2001", NAME)}))


def _wants(state: ItemState, **changed: Any) -> Item:
    return item("a1", state=state, intent=intent(name=NAME, calls=(call(),), **changed))


def _confirmed(grade: Grade) -> Item:
    return _wants(ItemState.CONFIRMED, external_id="5", found_by=grade)


RIVALS: Final = [
    ("pending", _wants(ItemState.PENDING), {}, True),
    ("held", _wants(ItemState.HELD), {}, True),
    ("absent", _wants(ItemState.ABSENT), {}, False),
    ("rejected", _wants(ItemState.REJECTED), {}, False),
    ("bound by name and time", _confirmed(Grade.NAME_AND_TIME), {}, True),
    ("bound by provenance", _confirmed(Grade.PROVENANCE), {}, True),
    ("bound by reply", _confirmed(Grade.REPLY), {}, False),
    ("bound by mark", _confirmed(Grade.MARK), {}, False),
    ("bound by a person", _confirmed(Grade.PERSON), {}, False),
    ("no intent yet", item("a1", name=NAME), {}, False),
    ("never began", _wants(ItemState.PENDING), {"began_at": None}, False),
    *(
        (f"in state {state}", _wants(ItemState.PENDING), {"state": state}, True)
        for state in DocumentState
    ),
    ("of another account", _wants(ItemState.PENDING), {"account_id": "act_2"}, False),
    ("another kind", _wants(ItemState.PENDING, kind=Kind.ADSET), {}, False),
    (
        "another parent",
        _wants(ItemState.PENDING, container=Container(kind=ContainerKind.ADSET, id="2002")),
        {},
        False,
    ),
]


@pytest.mark.parametrize(
    ("wants", "changed", "contests"),
    [row[1:] for row in RIVALS],
    ids=[row[0] for row in RIVALS],
)
async def test_a_rival_lacks_a_name_or_has_it_without_proof(
    ledger: OpenLedger, wants: Item, changed: dict[str, Any], contests: bool
) -> None:
    attempts = (attempt(1), attempt(2, started_at=NOON + MINUTE))
    rival = document("d2", wants, **{"began_at": NOON, "attempts": attempts} | changed)
    await put(ledger, document("d1"), rival)

    seen = await ledger.around("d1", ASKED)

    assert wants.intent is not None or not contests
    if wants.intent is not None and contests:
        wanted = Rival(document_id="d2", item="a1", intent=wants.intent, attempts=attempts)
        assert seen.rivals == (wanted,)
    else:
        assert seen.rivals == ()


async def test_another_name_is_no_rival_and_neither_is_the_document_itself(
    ledger: OpenLedger,
) -> None:
    mine = document("d1", _wants(ItemState.PENDING), began_at=NOON)
    await put(ledger, mine, document("d2", pending("a2"), began_at=NOON))

    assert await ledger.around("d1", ASKED) == Surroundings()


async def test_rivals_come_in_the_order_of_document_and_item(ledger: OpenLedger) -> None:
    twins = (_wants(ItemState.PENDING), replace(_wants(ItemState.HELD), key="b", position=1))
    other = replace(
        _wants(ItemState.PENDING, container=Container(kind=ADSET.kind, id="9")), key="z"
    )
    await put(ledger, document("d1"))
    for each in ("d3", "d2"):
        await put(ledger, document(each, *twins, replace(other, position=2), began_at=NOON))
    names = frozenset({*ASKED.names, (Kind.AD, "9", NAME), (Kind.AD, "2001", "none")})

    rivals = (await ledger.around("d1", Around(names=names))).rivals

    assert [(rival.document_id, rival.item) for rival in rivals] == [
        (each, key) for each in ("d2", "d3") for key in ("a1", "b", "z")
    ]


async def test_bindings_say_who_holds_an_id_and_how_that_is_known(ledger: OpenLedger) -> None:
    await put(
        ledger,
        document("d1", bound("a1", "5")),
        document("d2", bound("a1", "6", Grade.NAME_AND_TIME), bound("a2", "7")),
        document("d3", bound("a1", "8"), account_id="act_2"),
    )
    asked = Around(external_ids=frozenset({"5", "6", "8", "9"}))

    seen = await ledger.around("d1", asked)

    assert seen == Surroundings(
        bindings={
            "5": Binding(external_id="5", document_id="d1", item="a1", grade=Grade.REPLY),
            "6": Binding(external_id="6", document_id="d2", item="a1", grade=Grade.NAME_AND_TIME),
        }
    )


async def test_of_creatives_that_share_an_id_the_first_is_told(ledger: OpenLedger) -> None:
    await put(ledger, document("d1"))
    for each in ("d3", "d2"):
        await put(ledger, document(each, bound("a1", "5", kind=Kind.ADCREATIVE)))

    seen = await ledger.around("d1", Around(external_ids=frozenset({"5"})))

    assert seen.bindings["5"].document_id == "d2"


async def test_a_change_sees_its_surroundings_in_its_own_transaction(ledger: OpenLedger) -> None:
    await put(ledger, document("d1"), document("d2", _wants(ItemState.PENDING), began_at=NOON))

    view = await ledger.change("d1", Anyhow(), unchanged, around=ASKED)

    assert view is not None
    assert view.surroundings == await ledger.around("d1", ASKED)
    assert len(view.surroundings.rivals) == 1


async def test_more_names_than_one_statement_takes_are_asked_in_parts(ledger: OpenLedger) -> None:
    await put(ledger, document("d1"), document("d2", _wants(ItemState.PENDING), began_at=NOON))
    names = frozenset((Kind.AD, "2001", f"no {number}") for number in range(1_200))
    ids = frozenset(str(number) for number in range(1_200))
    await ledger.change("d2", Anyhow(), setting(title="unrelated"))

    seen = await ledger.around("d1", Around(names=names | ASKED.names, external_ids=ids))

    assert (len(seen.rivals), seen.bindings) == (1, {})
