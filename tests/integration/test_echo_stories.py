"""What people and the API do to marks, labels and names, between a crash and the next look.

Facts 4.21 to 4.28. Whatever is done, one entity stands for the item: it is found, or a person is
asked, and the reason names what happened.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fixtures.graph import WorldOptions
from fixtures.graph.entities import Entity
from fixtures.graph.scene import ADSET, CAMPAIGN
from reconciler.model import Document, DocumentState, Grade, ItemState
from tests.crash.plans import FOUR_ADS, ONE_AD, TWINS, Plan, ads
from tests.integration.http_stage import HttpStage, SetUp, crashed, live

Deed = Callable[[HttpStage, Entity], object]
"""Something that a person does around the ad that was made, by hand."""


def label(stage: HttpStage) -> Entity:
    return next(each for each in stage.world.entities.values() if each.kind == "adlabel")


def beside(stage: HttpStage) -> None:
    """Another ad set of the same campaign."""
    account = stage.world.entities[ADSET].account_id
    stage.world.place("adsets", "2002", account_id=account, parent_id=CAMPAIGN, name="other")


def without_label(stage: HttpStage, ad: Entity) -> None:
    """Off the ad, and gone from the account."""
    stage.world.relabel(ad.id, [])
    stage.world.delete(label(stage).id)


def renamed_and_label_deleted(stage: HttpStage, ad: Entity) -> None:
    """The label of the account is gone; rows may show it for a while."""
    stage.world.rename(ad.id, "Spring / new")
    stage.world.delete(label(stage).id)


FOUND: dict[str, Deed] = {
    "the label is deleted from the account": lambda s, _: s.world.delete(label(s).id),
    "a label of theirs is added": lambda s, ad: s.world.relabel(ad.id, [label(s).name, "Q1"]),
    "it is copied": lambda s, ad: s.world.copy(ad.id),
    "it is copied ten times": lambda s, ad: [s.world.copy(ad.id) for _ in range(10)],
    "it is copied under another name": lambda s, ad: s.world.copy(ad.id, name="Copy"),
    "a copy of a copy": lambda s, ad: s.world.copy(s.world.copy(ad.id).id),
    "it is archived": lambda s, ad: s.world.archive(ad.id),
    "it is set live": lambda s, ad: s.world.edit(ad.id, {"status": "ACTIVE"}),
    "their ad gets the same name": lambda s, _: s.world.colleague_creates(
        "ads", "Spring / 1", parent_id=ADSET
    ),
}
"""Nothing of this takes the mark away."""

HELD: dict[str, tuple[str, Deed]] = {
    "the label is renamed": (
        "echo_unproven",
        lambda s, _: s.world.edit(label(s).id, {"name": "Q1"}),
    ),
    "the label is renamed and still looks like a mark": (
        "mark_lost",
        lambda s, _: s.world.edit(label(s).id, {"name": label(s).name.upper()}),
    ),
    "the label is cut": (
        "mark_lost",
        lambda s, _: s.world.edit(label(s).id, {"name": label(s).name[:-1]}),
    ),
    "the label is taken off": ("echo_unproven", lambda s, ad: s.world.relabel(ad.id, [])),
    "the label is replaced by theirs": (
        "echo_unproven",
        lambda s, ad: s.world.relabel(ad.id, ["Q1"]),
    ),
    "the label is taken off and deleted": (
        "echo_unproven",
        without_label,
    ),
    "the ad is renamed": ("mark_lost", lambda s, ad: s.world.rename(ad.id, "Spring / new")),
    "the ad is renamed and the label deleted": (
        "mark_lost",
        renamed_and_label_deleted,
    ),
    "a copy that does not tell its source": (
        "ambiguous",
        lambda s, ad: s.world.copy(ad.id, tells_source=False),
    ),
    "a copy under another name that does not tell its source": (
        "mark_lost",
        lambda s, ad: s.world.copy(ad.id, tells_source=False, name="Spring / 1 - Copy"),
    ),
}
"""The first sends of a document: the mark is gone, or two bear it."""


def after(set_up: SetUp, deed: Deed, plan: Plan) -> tuple[HttpStage, Document]:
    stage = set_up()
    document_id = crashed(stage, plan=plan)
    (made,) = stage.world.live("ad")
    deed(stage, made)
    return stage, stage.run_until_rest(document_id)


@pytest.mark.parametrize("plan", [ONE_AD, TWINS, FOUR_ADS], ids=["one", "twins", "four"])
@pytest.mark.parametrize("deed", FOUND)
def test_what_leaves_the_mark_alone_leaves_the_ad_ours(
    set_up: SetUp, deed: str, plan: Plan
) -> None:
    stage, document = after(set_up, FOUND[deed], plan)

    first = document.items[0].intent
    assert document.state is DocumentState.PUBLISHED
    assert first is not None
    assert first.found_by is Grade.MARK
    assert live(stage, document) == [1] * len(document.items)
    assert stage.fake.count("POST") == len(document.items)


@pytest.mark.parametrize("plan", [ONE_AD, TWINS, FOUR_ADS], ids=["one", "twins", "four"])
@pytest.mark.parametrize("deed", HELD)
def test_what_takes_the_mark_away_holds_the_document_and_says_why(
    set_up: SetUp, deed: str, plan: Plan
) -> None:
    """R044, and A5 broken on purpose: no second ad is made, however often somebody looks."""
    reason, do = HELD[deed]

    stage, document = after(set_up, do, plan)

    (verdict,) = document.verdicts
    assert (document.state, document.items[0].state) == (DocumentState.HELD, ItemState.HELD)
    assert verdict.reason == reason
    for _ in range(5):
        stage.settle(document.id, asked=True)
    assert stage.fake.count("POST") == 1


@pytest.mark.parametrize("deed", [*FOUND, *HELD])
def test_what_is_done_after_we_read_it_back_changes_nothing(set_up: SetUp, deed: str) -> None:
    """A5 holds until then and no longer."""
    stage = set_up()
    document_id = crashed(stage)
    (made,) = stage.world.live("ad")
    stage.settle(document_id)
    do = FOUND[deed] if deed in FOUND else HELD[deed][1]
    do(stage, made)

    document = stage.run_until_rest(document_id)

    intent = document.items[0].intent
    assert document.state is DocumentState.PUBLISHED
    assert intent is not None
    assert intent.external_id == made.id
    assert stage.fake.count("POST") == 1


@pytest.mark.parametrize("deed", ["it is moved", "its copy is elsewhere"])
def test_our_mark_under_another_ad_set_is_never_taken_for_ours(set_up: SetUp, deed: str) -> None:
    """R044: a copy elsewhere says where it is from or not; nothing of it is in our listing."""
    stage = set_up()
    document_id = crashed(stage, made=deed == "its copy is elsewhere")
    beside(stage)
    if deed == "it is moved":
        name = stage.document(document_id).mark_part
        theirs = stage.world.colleague_creates("ads", "Spring / 1", parent_id="2002")
        stage.world.relabel(theirs.id, [name or ""])

    document = stage.run_until_rest(document_id)

    assert document.state is DocumentState.PUBLISHED
    intent = document.items[0].intent
    assert intent is not None
    assert stage.world.entities[intent.external_id or ""].parent_id == ADSET
    assert live(stage, document) == [1]


# --- what the API does to names -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "name", "is_twin", "found"),
    [
        ("trim", "  Spring / 1 ", False, True),
        ("trim", "Spring / 1", True, True),
        ("escape", "Tom & Jerry's <b>", False, True),
        ("escape", "Tom & Jerry's <b>", True, True),
        ("cut,length_max=8", "Spring", False, True),
        ("cut,length_max=8", "Spring / 1", False, False),
        ("cut,length_max=20", "Spring / 1", True, False),
        ("cut,length_max=39", "Spring / 1", True, False),
    ],
)
def test_a_name_that_the_api_kept_otherwise_is_found_or_held_and_never_made_again(
    set_up: SetUp, how: str, name: str, is_twin: bool, found: bool
) -> None:
    """R044, facts 4.27, 4.28: trimmed and escaped names are known; a cut one is a person's."""
    stage = set_up()
    stage.fake.faults.add(f"name_stored:how={how}", count=None)
    document_id = crashed(stage, plan=ads(name, name) if is_twin else ads(name))

    document = stage.run_until_rest(document_id)

    assert document.state is (DocumentState.PUBLISHED if found else DocumentState.HELD)
    assert stage.fake.count("POST") == (len(document.items) if found else 1)
    if not found:
        assert [verdict.reason for verdict in document.verdicts] == ["mark_lost"]


@pytest.mark.parametrize("unique", [True, False], ids=["one label", "a label for each create"])
def test_a_document_finds_its_ads_by_the_labels_name_however_many_labels_bear_it(
    set_up: SetUp, unique: bool
) -> None:
    """Facts 4.26: whether a name makes one label of an account is not documented."""
    stage = set_up(options=WorldOptions(label_names_unique=unique))
    stage.fake.faults.add("reply_lost_after_commit", count=3)
    document_id = stage.submit(FOUR_ADS, publish=True)

    document = stage.run_until_rest(document_id)

    assert document.state is DocumentState.PUBLISHED
    assert live(stage, document) == [1, 1, 1, 1]
    assert stage.fake.count("POST") == 4
