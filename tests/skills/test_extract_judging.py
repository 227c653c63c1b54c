"""What of an answer may stand in a draft, item by item."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from memory.cascade.rules.particulars import Particulars, TraceWords, holds_detail
from memory.cascade.stage import Judged
from memory.skills.contract import ProcedureItem
from memory.skills.extract_judging import DraftJudge
from memory.skills.extract_taking import Described, Taken, TakenLine, assembled
from memory.skills.sources import SourceKind, Sources
from memory.skills.version_writing import LineText, Receipts, VersionText

STEP, OTHER, FEEDBACK, PERSON = (UUID(int=number) for number in range(1, 5))
BASE = (
    LineText("procedure", "Run the tests.", Receipts(trace_steps=(STEP,))),
    LineText("procedure", "Deploy to one host.", Receipts(corrections=(PERSON,))),
    LineText("validation", "The error rate stays flat.", Receipts(trace_steps=(STEP,))),
)


def judge(*items: dict[str, Any], is_last: bool = False, base: tuple[LineText, ...] = BASE) -> Judged[Taken]:
    sources = Sources()
    sources.offer(SourceKind.STEP, STEP, "t1.s1")
    sources.offer(SourceKind.STEP, OTHER, "t2.s1")
    sources.offer(SourceKind.FEEDBACK, FEEDBACK, "f1")
    for place in range(len(base)):
        sources.offer_line(place)
    traces = [
        TraceWords(
            "Deploy Vega 2.3", ("Deploy Vega 2.3, and wait 5 minutes.",), ("Opened GitHub", "port 8080")
        ),
        TraceWords("Deploy Lyra 2.4", (), ("Opened GitHub",)),
    ]
    particulars = Particulars(traces, ["ask Robin", *(line.text for line in base)])
    found = DraftJudge(sources, particulars, ("Zorblatt",), base)
    read = [(place, ProcedureItem.model_validate(item)) for place, item in enumerate(items)]
    return found.judge(read, is_last)


def line(text: str, *sources: str, **values: Any) -> dict[str, Any]:
    return {"action": "line", "text": text, "sources": list(sources), **values}


def removed(*sources: str, reason: str = "") -> dict[str, Any]:
    return {"action": "remove", "sources": list(sources), "reason": reason}


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (line("Open the list."), "It cites nothing"),
        (line("Open the list.", "t3.s1"), "“t3.s1” was not offered"),
        (line("", "t1.s1"), "The line has no text."),
        (line("Ask Zorblatt.", "t1.s1"), "It repeats an example of the prompt."),
        (line("Open Vega.", "t1.s1"), "«Vega» is a detail of one task."),
        (line("Take port 8080.", "t1.s1"), "«8080» is a detail of one task."),
        (line("Take port 9090.", "t1.s1"), "nothing that was offered holds «9090»."),
        (line("Run all tests.", "v.l1"), "A line that is carried over keeps its words"),
        (line("", "v.l1", "v.l3"), "A line that is carried over keeps its words"),
        (line("Deploy to all hosts.", "v.l2", "t1.s1"), "A person wrote v.l2: it stays word for word"),
        (removed("v.l2", "t1.s1", reason="slow"), "A person wrote v.l2"),
        (removed("v.l1"), "Say why the line goes."),
        (removed("t1.s1", reason="slow"), "Name the line of the active version that goes"),
        ({"action": "decline", "sources": ["f1"]}, "Say why the feedback changes nothing."),
        ({"action": "decline", "sources": ["v.l1"], "reason": "no"}, "Only feedback and steps are declined"),
        ({"action": "decline", "sources": ["f1", "t1.s1"], "reason": "no"}, "Only feedback and steps"),
        ({"action": "describe", "title": "Deploy Vega"}, "«Vega» is a detail of one task."),
    ],
)
def test_what_may_not_stand_is_refused_with_its_reason(item: dict[str, Any], reason: str) -> None:
    judged = judge(item)
    assert judged.taken == ()
    assert judged.refused[0].reason.startswith(reason)


@pytest.mark.parametrize(
    "item",
    [
        line("Open GitHub.", "t1.s1", "t2.s1"),
        line("Wait 5 minutes.", "t1.s1"),
        line("Ask Robin.", "f1"),
        line("Deploy to two hosts.", "v.l2", "f1"),
        removed("v.l2", "f1"),
        removed("v.l1", reason="the pipeline does it"),
        line("open the list.", " [T1.S1] "),
        line("Open the list.", str(OTHER)),
        {"action": "decline", "sources": ["f1"], "reason": "praise"},
        {"action": "describe", "title": "Production Deployment on a Host"},
        {"action": "describe", "title": "Deploy a service", "boundary": "Until The Port is open."},
    ],
)
def test_what_may_stand_is_taken(item: dict[str, Any]) -> None:
    judged = judge(item)
    assert (judged.refused, len(judged.taken)) == ((), 1)


def test_a_detail_that_the_answer_itself_calls_incidental_may_not_stand() -> None:
    about = {"action": "describe", "title": "Deploy", "incidental": ["the blue cluster"]}
    judged = judge(line("Log in to The blue cluster.", "t1.s1"), about)
    assert judged.taken == (Described("Deploy", "", ("the blue cluster",)),)
    assert judged.refused[0].reason == "«the blue cluster» is a detail that must not survive."


def test_a_description_with_a_detail_is_mended_as_the_last_word() -> None:
    about = {"action": "describe", "title": "Deploy Vega", "boundary": "Until it runs."}
    judged = judge(about, is_last=True)
    assert (judged.taken, judged.refused) == ((Described("", "Until it runs.", ()),), ())
    assert judged.notes[0]["reason"] == "«Vega» is a detail of one task."


def test_an_echo_and_a_second_description_are_not_mended() -> None:
    echo = {"action": "describe", "title": "Ship Zorblatt"}
    about = {"action": "describe", "title": "Deploy"}
    judged = judge(echo, about, about, is_last=True)
    assert (judged.taken, [refusal.index for refusal in judged.refused]) == (
        (Described("Deploy", "", ()),),
        [0, 2],
    )


def test_a_line_with_the_words_of_a_standing_one_is_that_line() -> None:
    [taken] = judge(line("Run the tests.", "t2.s1")).taken
    assert taken == TakenLine(BASE[0], carried=0)


def test_a_line_is_dealt_with_once() -> None:
    judged = judge(line("", "v.l1"), removed("v.l1", reason="no"))
    assert [refusal.reason for refusal in judged.refused] == [
        "v.l1 was named by an earlier item of this answer."
    ]


def test_a_reworded_line_keeps_what_it_rested_on_but_not_a_persons_word() -> None:
    [taken] = judge(line("Deploy to two hosts.", "v.l2", "f1")).taken
    assert isinstance(taken, TakenLine)
    assert taken.line.receipts == Receipts(feedback=(FEEDBACK,))
    [taken] = judge(line("Run all tests.", "v.l1", "t2.s1")).taken
    assert isinstance(taken, TakenLine)
    assert taken.line.receipts == Receipts(trace_steps=(OTHER, STEP))


def written(*items: dict[str, Any]) -> list[tuple[str, str]]:
    """The draft over the standing lines."""
    base = VersionText("Deploy", "", BASE)
    text = assembled(base, judge(*items).taken)
    return [(line.section, line.text) for line in text.lines]


@pytest.mark.parametrize(
    ("items", "procedure"),
    [
        ([line("Tell the team.", "t1.s1")], ["Run the tests.", "Deploy to one host.", "Tell the team."]),
        (
            [line("Tell the team.", "t1.s1"), line("", "v.l2")],
            ["Run the tests.", "Tell the team.", "Deploy to one host."],
        ),
        (
            [line("", "v.l1"), line("Tell the team.", "t1.s1"), line("Wait.", "t1.s1")],
            ["Run the tests.", "Tell the team.", "Wait.", "Deploy to one host."],
        ),
        ([line("Run all tests.", "v.l1", "t1.s1")], ["Run all tests.", "Deploy to one host."]),
        ([removed("v.l1", reason="no")], ["Deploy to one host."]),
        ([line("Merge both.", "v.l1", "v.l2", "f1")], ["Merge both."]),
        (
            [line("DEPLOY to one host.", "t1.s1"), line("", "v.l2")],
            ["Run the tests.", "Deploy to one host."],
        ),
        (
            [line("Tell the team.", "t1.s1"), line("tell the TEAM.", "t2.s1")],
            ["Run the tests.", "Deploy to one host.", "Tell the team."],
        ),
    ],
)
def test_new_lines_find_their_place(items: list[dict[str, Any]], procedure: list[str]) -> None:
    found = written(*items)
    assert [text for section, text in found if section == "procedure"] == procedure
    assert found[-1] == ("validation", "The error rate stays flat.")


@pytest.mark.parametrize(
    ("task", "text", "found"),
    [
        ("Deploy Vega 2.3", "Deploy Vega.", ["Vega"]),
        ("Deploy Vega 2.3", "Look at 14 hosts.", ["14"]),
        ("Deploy Vega 2.3", "Open a ticket in GitHub.", []),
        ("Deploy Vega 2.3", "Wait 5 minutes.", []),
        ("Deploy Vega 2.3", "Open a ticket in Jira.", ["Jira"]),
        ("Deploy Vega 2.3", "Open a Ticket on all Hosts.", []),
        ("Set up Jana Weiss", "Make the account of Jana Weiss.", ["Jana", "Weiss"]),
        ("Set up a colleague", "Write to jana.weiss@example.com.", ["jana.weiss@example.com"]),
    ],
)
def test_with_one_trace_its_task_and_its_figures_are_details(task: str, text: str, found: list[str]) -> None:
    words = TraceWords(
        task, ("Always wait 5 minutes.",), ("ticket in GitHub", "14 hosts", "jana.weiss@example.com")
    )
    assert [one.text for one in Particulars([words], []).find(text)] == found


@pytest.mark.parametrize(
    ("text", "details", "found"),
    [
        ("Deploy to Blue.", ["blue"], "blue"),
        ("Deploy to Bluetooth.", ["blue"], ""),
        ("Deploy.", ["", " "], ""),
        ("Build v2.3 now", ["v2.3"], "v2.3"),
    ],
)
def test_details_are_found_as_whole_words(text: str, details: list[str], found: str) -> None:
    assert holds_detail(text, details) == found
