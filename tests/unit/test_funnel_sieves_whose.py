"""The sieve table, cell by cell: bound, container and mark, which say whose a row is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fixtures.funnel_world import (
    C2,
    FOREIGN_PART,
    PART,
    answered,
    bare,
    bound,
    document,
    item,
    item_part,
    row,
    whole_marked,
)
from reconciler.mark import Mark
from reconciler.model import Grade, ItemState, Kind
from tests.unit.sieve_cases import LABELLED, PROVEN, UNMARKED, WHOLE, WITH_SIBLING, Case, none, run

CASES = [
    # --- bound
    Case(
        "bound to a sibling",
        reason="What another item has cannot be this one's, however it is known.",
        given=bare("1001"),
        doc=document(
            item("a1", part=None),
            item("a2", part=None, bound_to="1001", found_by=Grade.NAME_AND_TIME),
            part=None,
        ),
        want="absent",
        at="bound: not_ours",
    ),
    Case(
        "answered to a sibling's call",
        reason="R017: an id that a call was answered with is kept and offered to nobody else.",
        given=bare("1001"),
        doc=document(
            item("a1", part=None),
            item("a2", part=None, state=ItemState.HELD, calls=(answered("1001"),)),
            part=None,
        ),
        want="absent",
        at="bound: not_ours",
    ),
    *(
        Case(
            f"bound to another document by {grade}",
            reason="Proof of somebody else's is disproof of ours.",
            given=bare("1001"),
            doc=UNMARKED,
            bindings=bound("1001", grade=grade),
            want="absent",
            at="bound: not_ours",
        )
        for grade in (Grade.REPLY, Grade.MARK, Grade.PERSON)
    ),
    *(
        Case(
            f"bound to another document by {grade}",
            reason="Strong, not proof: the other document may be wrong.",
            given=bare("1001"),
            doc=UNMARKED,
            bindings=bound("1001", grade=grade),
            want="contested",
            at="bound: doubt",
        )
        for grade in (Grade.NAME_AND_TIME, Grade.PROVENANCE)
    ),
    Case(
        "marked, yet bound to another document by name and time",
        reason="A wrong claim of theirs must not be lost in silence: a person sees both.",
        given=row("1001"),
        bindings=bound("1001", grade=Grade.NAME_AND_TIME),
        want="contested",
        at="bound: doubt",
    ),
    # --- container
    Case(
        "another kind",
        reason="A walk of ad sets that brings an ad brings somebody else's.",
        given=bare("1001", kind=Kind.AD),
        doc=UNMARKED,
        want="absent",
        at="container: not_ours",
    ),
    Case(
        "another account, unmarked",
        reason="R038: the account must be ours.",
        given=bare("1001", account_id="2000000000000002"),
        doc=UNMARKED,
        want="absent",
        at="container: not_ours",
    ),
    Case(
        "another parent, unmarked",
        reason="R038: an ad set of another campaign is not what was sent.",
        given=bare("1001", campaign_id=C2.id),
        doc=UNMARKED,
        want="absent",
        at="container: not_ours",
    ),
    Case(
        "another parent, our mark",
        reason="It is ours, but not as it was sent; nobody may say that nothing was made.",
        given=row("1001", campaign_id=C2.id),
        want="mark_lost",
        at="container: doubt",
    ),
    Case(
        "another account, our mark",
        reason="A wrong field must not turn our own row into absence.",
        given=row("1001", account_id="2000000000000002"),
        want="mark_lost",
        at="container: doubt",
    ),
    *(
        Case(
            f"no {missing}, {'marked' if doc is LABELLED else 'unmarked'}",
            reason="R035: what is missing cannot be compared, and disproves nothing.",
            given=replace(given, **none(missing)),
            doc=doc,
            want="unproven_row",
            at="container: doubt",
        )
        for missing in ("account_id", "campaign_id", "name")
        for doc, given in ((LABELLED, row("1001")), (UNMARKED, bare("1001")))
    ),
    Case(
        "a blank name",
        reason="White space alone is no name.",
        given=bare("1001", name=" \t"),
        doc=UNMARKED,
        want="unproven_row",
        at="container: doubt",
    ),
    # --- mark
    Case(
        "another document's label",
        reason="Somebody else's readable mark: not ours.",
        given=row("1001", labels=(FOREIGN_PART,)),
        want="absent",
        at="mark: not_ours",
    ),
    Case(
        "another install's whole mark in the name",
        reason="Anything of the form that is not ours is somebody else's.",
        given=bare("1001", "Spring" + Mark(FOREIGN_PART, "cccccc").as_name_suffix()),
        doc=UNMARKED,
        want="absent",
        at="mark: not_ours",
    ),
    Case(
        "the whole mark of a twin",
        reason="It is that one's.",
        given=whole_marked("a2"),
        doc=WHOLE,
        want="absent",
        at="mark: not_ours",
    ),
    Case(
        "no mark, where marks show",
        reason="A5: where one row shows its labels, every row does.",
        given=bare("1001"),
        doc=WITH_SIBLING,
        others=(PROVEN,),
        want="absent",
        at="mark: not_ours",
    ),
    Case(
        "no mark, and no row shows one",
        reason="The API may not give labels back: then it may be ours.",
        given=bare("1001"),
        want="echo_unproven",
        at="mark: doubt",
    ),
    Case(
        "no label, and only names show marks",
        reason="A mark in a name does not show that labels come back.",
        given=bare("1001"),
        doc=document(item("a1", "Spring"), item("a2", "Autumn", in_name=True)),
        others=(replace(whole_marked("a2", "9999", "Autumn"), labels=()),),
        want="echo_unproven",
        at="mark: doubt",
    ),
    Case(
        "no mark in the name, where names show marks",
        reason="A mark sent in the name is looked for in names too.",
        given=bare("1001"),
        doc=WHOLE,
        others=(replace(whole_marked("a2", "9999"), labels=()),),
        want="absent",
        at="mark: not_ours",
    ),
    Case(
        "this document's mark, for a call sent without",
        reason="Our call could not have made it.",
        given=row("1001"),
        doc=document(item("a1", part=None)),
        want="absent",
        at="mark: not_ours",
    ),
    *(
        Case(
            f"an unreadable mark: {why}",
            reason="It may be ours, cut or edited.",
            given=given,
            doc=doc,
            want="mark_lost",
            at="mark: doubt",
        )
        for why, given, doc in (
            ("label cut", row("1001", labels=("rc1-aaaa",)), LABELLED),
            ("label in capitals", row("1001", labels=(PART.upper(),)), LABELLED),
            ("name cut", bare("1001", "Spring [rc1-aaaaaaaaaaaa"), WHOLE),
            ("label cut, sent without", row("1001", labels=("rc1-aaaa",)), UNMARKED),
        )
    ),
    Case(
        "an unreadable mark, although marks show",
        reason="What cannot be read is not the same as no mark.",
        given=row("1001", labels=("rc1-aaaa",)),
        doc=WITH_SIBLING,
        others=(PROVEN,),
        want="mark_lost",
        at="mark: doubt",
    ),
    Case(
        "our label and another document's",
        reason="One of them was edited in.",
        given=row("1001", labels=(PART, FOREIGN_PART)),
        want="mark_lost",
        at="mark: doubt",
    ),
    Case(
        "our label and another document's mark in the name",
        reason="One of them was edited in.",
        given=row("1001", "Spring" + Mark(FOREIGN_PART, "cccccc").as_name_suffix()),
        want="mark_lost",
        at="mark: doubt",
    ),
    Case(
        "our label and a foreign mark that ends like a sibling's",
        reason="An item part means something in its own document only.",
        given=row("1001", "Spring" + Mark(FOREIGN_PART, item_part("a2")).as_name_suffix()),
        doc=WHOLE,
        want="mark_lost",
        at="mark: doubt",
    ),
    Case(
        "our whole mark in the name and another document's label",
        reason="One of them was edited in.",
        given=whole_marked("a1", labels=(FOREIGN_PART,)),
        doc=WHOLE,
        want="mark_lost",
        at="mark: doubt",
    ),
    Case(
        "our label only, where the name was sent with the mark",
        reason="It is of this document, but of which twin?",
        given=row("1001"),
        doc=WHOLE,
        want="mark_lost",
        at="mark: doubt",
    ),
    Case(
        "our whole mark, where only the label was sent",
        reason="No call of ours made it so.",
        given=whole_marked("a1"),
        want="mark_lost",
        at="mark: doubt",
    ),
    Case(
        "our document's mark with an item part that is nobody's",
        reason="Perhaps ours, edited.",
        given=row("1001", "Spring" + Mark(PART, "qqqqqq").as_name_suffix()),
        doc=WHOLE,
        want="mark_lost",
        at="mark: doubt",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_cell_of_the_table(case: Case) -> None:
    assert run(case) == (case.want, [case.at]), case.reason
