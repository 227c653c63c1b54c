"""However a session is cut into batches, memory is the same; whatever is said, an answer is valid."""

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.cascade.contract import OfferedMessage
from tests.llm.offline.ladder import Ladder, message, tour_sessions

SAYINGS = (
    "I love ramen.",
    "I cannot stand ramen any more.",
    "The payments migration is under way. We must finish it before September 10.",
    "This is separate from payments: the office move is blocked until the lease is signed.",
    "The new contract is still unapproved.",
    "Never deploy to production without my written approval.",
    "I have worked at the mill for five years.",
    "I have worked at the mill for six years.",
    "Thanks, that helps!",
    "My sister Mia lives in Rome. She teaches piano.",
    "What should I do next?",
    "I went to the lake yesterday.",
    "Always keep telemetry enabled.",
    "It must be done by Friday.",
    "My favorite color is blue.",
    "It's green, not blue.",
    "The kickoff is on Monday.",
    "Sorry, I meant Tuesday.",
    "Ich wohne in Berlin.",
    "Ich bin nach Hamburg gezogen.",
)


def remembered(sessions: list[list[OfferedMessage]], cuts: list[list[int]]) -> list[tuple[str, ...]]:
    ladder = Ladder()
    for session, edges in zip(sessions, cuts, strict=True):
        ladder.read(session, edges)
    atoms = ladder.atoms.values()
    return [
        (atom.text, atom.kind, atom.topic, atom.state, str(ladder.receipts[atom.handle])) for atom in atoms
    ]


@given(cuts=st.lists(st.lists(st.integers(1, 11), max_size=5), min_size=2, max_size=2))
@settings(max_examples=25, deadline=None)
def test_the_tour_is_remembered_alike_in_any_batches(cuts: list[list[int]]) -> None:
    sessions = tour_sessions()
    assert remembered(sessions, cuts) == remembered(sessions, [[], []])


@given(
    said=st.lists(
        st.tuples(st.sampled_from(SAYINGS), st.sampled_from(["Alice", "Ben"])), min_size=2, max_size=10
    ),
    cuts=st.lists(st.integers(1, 9), max_size=6),
)
@settings(max_examples=60, deadline=None)
def test_any_talk_is_remembered_alike_in_any_batches(said: list[tuple[str, str]], cuts: list[int]) -> None:
    session = [
        message(text, speaker=speaker, handle=f"m{index}") for index, (text, speaker) in enumerate(said)
    ]
    assert remembered([session], [cuts]) == remembered([session], [[]])


WORDS = (
    "I",
    "my",
    "never",
    "the",
    "move",
    "migration",
    "by",
    "Friday",
    "last",
    "week",
    "it",
    "and",
    "said",
    "UI",
    "must",
    "x" * 150,
    "«",
    '"',
    "我",
)


@given(said=st.one_of(st.text(max_size=200), st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)))
@settings(max_examples=150, deadline=None)
def test_any_words_get_a_valid_answer_on_every_layer(said: str) -> None:
    ladder = Ladder()
    ladder.say(said)
    ladder.synthesize()
    ladder.characterize()
    assert sum(len(scene.lines) for scene in ladder.scenes) == len(ladder.live())
