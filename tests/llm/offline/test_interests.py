"""What a person comes back to, whatever the order in which scenes came to the step."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import permutations

from memory.cascade.contract import OfferedAtom, OfferedLine, OfferedScene, OfferedTrait, PersonaPayload
from memory.llm.offline.traits import characterize
from tests.llm.offline.ladder import Ladder

CHESS = ("Ida plays chess after supper.", "Ida won a chess match.", "Ida teaches chess to a neighbour.")
SAILING = ("Ida went sailing.", "Ida repairs a sailing boat.", "Ida reads about sailing.")
BAKING = (
    "Otto is baking rye bread.",
    "Otto sells what he is baking.",
    "Otto loves baking.",
    "Otto says that baking calms him.",
)

Scenes = tuple[tuple[OfferedScene, ...], tuple[OfferedAtom, ...]]


def scenes(*told: tuple[str, str, tuple[str, ...]], days: int = 30) -> Scenes:
    """Scenes of (handle, topic, texts), a line an atom, said on so many days in turn."""
    made, atoms = [], []
    for handle, topic, texts in told:
        of_scene = [
            OfferedAtom(
                f"{handle}a{number}",
                text,
                "episodic",
                45,
                topic,
                "",
                "user",
                "live",
                datetime(2026, 3, 1 + number % days, tzinfo=UTC),
            )
            for number, text in enumerate(texts)
        ]
        lines = tuple(
            OfferedLine(f"{handle}.l{number}", "key_evidence", atom.text, (atom.handle,))
            for number, atom in enumerate(of_scene)
        )
        made.append(OfferedScene(handle, topic, "", (topic,), len(of_scene), True, lines))
        atoms += of_scene
    return tuple(made), tuple(atoms)


def archetype(told: Scenes, order: tuple[str, ...] = ()) -> str:
    """The text when scenes come to the step one by one, shown in full then and while they support it."""
    all_scenes, atoms = told
    traits: dict[str, OfferedTrait] = {}
    for handle in order or ("",):
        supporting = {line for trait in traits.values() for line in trait.lines}
        shown = tuple(
            scene
            if handle in {"", scene.handle} or supporting & {line.handle for line in scene.lines}
            else replace(scene, is_full=False, lines=())
            for scene in all_scenes
        )
        for edit in characterize(PersonaPayload("e", "UTC", shown, atoms, tuple(traits.values()))).items:
            traits[edit.slot] = OfferedTrait("t1", edit.slot, edit.text, tuple(edit.lines))
    return traits["archetype"].text if traits else ""


def test_what_three_lines_of_several_days_hold_recurs() -> None:
    told = scenes(("s1", "Ida's games", CHESS), ("s2", "Otto's food", BAKING))
    assert archetype(told) == "Tie suggestions for Ida to chess; tie suggestions for Otto to baking."


def test_what_was_said_in_passing_does_not() -> None:
    assert archetype(scenes(("s1", "Ida's games", CHESS[:2]), ("s2", "about Ida", SAILING[:1]))) == ""


def test_what_was_talked_of_on_one_day_alone_does_not() -> None:
    assert archetype(scenes(("s1", "Ida's games", CHESS), days=1)) == ""


def test_what_no_word_of_its_own_repeats_is_named_by_its_theme() -> None:
    garden = ("Ida bought a greenhouse.", "Ida planted tulips.", "Ida waters the seedlings.")
    assert archetype(scenes(("s1", "Ida's garden", garden))) == "Tie suggestions for Ida to garden."


def test_a_word_in_capitals_names_no_interest() -> None:
    rights = ("Ida supports LGBTQ rights.", "Ida joined an LGBTQ choir.", "Ida reads LGBTQ novels.")
    assert archetype(scenes(("s1", "Ida's community", rights))) == "Tie suggestions for Ida to community."


def test_what_somebody_does_not_do_is_no_interest() -> None:
    refused = (*CHESS[:2], "Ida does not like chess.")
    assert archetype(scenes(("s1", "Ida's games", refused))) == ""


def test_only_what_people_say_of_themselves_counts() -> None:
    told, atoms = scenes(("s1", "Ida's games", CHESS))
    for change in (
        {"authority": "agent inference"},
        {"state": "retracted"},
        {"topic": "office move"},
        {"kind": "instruction", "scope": "for this check"},
        {"text": "Mia plays chess."},
        {"text": "Ida's sister plays chess."},
    ):
        assert archetype((told, tuple(replace(atom, **change) for atom in atoms))) == ""  # type: ignore[arg-type]


def test_the_order_of_scenes_does_not_matter() -> None:
    hobbies = ("Ida likes yoga and soccer.", "Ida watches soccer.", "Ida does yoga.", "Ida plays soccer.")
    more = ("Ida tends her garden.", "Ida sowed the garden.", "Ida weeds the garden.", "Ida has a garden.")
    told = scenes(
        ("s1", "Ida's games", (*CHESS, *hobbies)),
        ("s2", "about Ida", SAILING),
        ("s3", "Ida's garden", (*more, *hobbies)),
        ("s4", "Otto's food", BAKING),
    )
    texts = {archetype(told, order) for order in permutations(["s1", "s2", "s3", "s4"])}
    assert texts == {
        "Tie suggestions for Ida to garden, soccer, chess and sailing; tie suggestions for Otto to baking."
    }


def test_each_interest_cites_lines_that_hold_it() -> None:
    told, atoms = scenes(("s1", "Otto's food", ("Otto bought flour.", *BAKING)))
    [edit] = characterize(PersonaPayload("e", "UTC", told, atoms, ())).items
    texts = {line.handle: line.text for line in told[0].lines}
    assert len(edit.lines) == 3
    assert all("baking" in texts[line].casefold() for line in edit.lines)


def test_two_people_who_talk_have_a_portrait() -> None:
    ladder = Ladder()
    for month, verb in enumerate(("practised on", "bought new gear for", "fell asleep over"), 3):
        for speaker, thing in (("Ida", "the violin"), ("Otto", "the guitar")):
            ladder.say(
                f"I {verb} {thing} last Friday.", speaker=speaker, at=datetime(2026, month, 3, tzinfo=UTC)
            )
    ladder.synthesize()
    ladder.characterize()
    assert {slot: trait.text for slot, trait in ladder.traits.items()} == {
        "archetype": "Tie suggestions for Ida to violin; tie suggestions for Otto to guitar."
    }
