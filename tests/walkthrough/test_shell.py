import io
import json
import subprocess
import sys
from typing import Any

import pytest

from memory.walkthrough.access import Memory, MemoryProblemError
from memory.walkthrough.commands import COMMANDS, Page, UsageError, run_line
from memory.walkthrough.screen import JsonScreen, TextScreen
from memory.walkthrough.shell import asked_at_terminal, run_shell
from tests.setup.commands import ROOT
from tests.walkthrough.scripted import ScriptedMemory

WRONG = {
    "scenes now": "scenes takes no arguments.",
    "say": "Write what you want to say: say <text>",
    "rules many": "The floor is a whole number from 0 to 100: rules [floor]",
    "rules 101": "The floor is a whole number from 0 to 100: rules [floor]",
    "rules -1": "The floor is a whole number from 0 to 100: rules [floor]",
    "rules 7٣": "The floor is a whole number from 0 to 100: rules [floor]",
    "trace": "Give one id, or at least 4 digits of its end: trace <id>",
    "trace a b": "Give one id, or at least 4 digits of its end: trace <id>",
    "search": "Write what you look for: search <words>",
    "recall": "Write what is about to be done: recall <task>",
    "answer": "Write your question: answer <question>",
    "procedure approve": "Give the id of a draft, and why if you like: procedure approve <id> [reason]",
    "procedure reject 12ab": "Give the id of a draft, and why: procedure reject <id> <reason>",
    "procedure use": "Give the id of an active version: procedure use <id>",
    "procedure feedback 12ab": (
        "Give the id of a use or an active version, and your words: procedure feedback <id> <words>"
    ),
    "forget": "Write what is to be forgotten: forget <words>",
    "forget confirm": "Give the token that was shown: forget confirm <token> [ids to keep]",
    "sceens": "There is no command 'sceens'. Did you mean scenes?",
    "xyzzy": "There is no command 'xyzzy'. Type help to see the commands.",
    "help xyzzy": "There is no command 'xyzzy'. Type help to see the commands.",
    "say \udce9": "The line holds something that is no text (UTF-8 without NUL).",
    "l0 a\x00b": "The line holds something that is no text (UTF-8 without NUL).",
}


def run_text(script: str, memory: Memory | None = None) -> tuple[str, str]:
    """What a script gives as text: the pages and the notices."""
    out, notices = io.StringIO(), io.StringIO()
    run_shell(
        memory=memory or ScriptedMemory(),
        screen=TextScreen(out, notices),
        source=io.StringIO(script),
        is_prompting=False,
    )
    return out.getvalue(), notices.getvalue()


def run_json(script: str) -> tuple[list[dict[str, Any]], str]:
    """What a script gives as JSON: one object for each line, and the notices."""
    out, notices = io.StringIO(), io.StringIO()
    screen = JsonScreen(out, notices)
    run_shell(memory=ScriptedMemory(), screen=screen, source=io.StringIO(script), is_prompting=False)
    return [json.loads(line) for line in out.getvalue().splitlines()], notices.getvalue()


@pytest.mark.parametrize("line", WRONG)
def test_wrong_arguments_are_answered_with_what_is_right(line: str) -> None:
    with pytest.raises(UsageError) as refused:
        run_line(line, memory=ScriptedMemory(), notice=print)
    assert str(refused.value) == WRONG[line]


def test_a_script_shows_its_commands_with_their_pages() -> None:
    out, notices = run_text("# a comment\n\n  RULES 90  \nnonsense\n")
    assert out == (
        "> RULES 90\n"
        "Rules at priority 90 or above: 1 (default floor 70)\n"
        "  -  95  Never deploy without approval.  [00000011]\n\n"
        "> nonsense\n"
        "There is no command 'nonsense'. Type help to see the commands.\n\n"
    )
    assert notices == ""


@pytest.mark.parametrize("script", ["quit\nsay more\n", "exit\nsay more\n", "QUIT\nsay more"])
def test_nothing_runs_after_quit(script: str) -> None:
    memory = ScriptedMemory()
    run_text(script, memory)
    assert memory.said == []


def test_say_keeps_the_words_as_typed() -> None:
    memory = ScriptedMemory()
    _, notices = run_text("say  Keep   this: # and “that” 你好 \n", memory)
    assert memory.said == ["Keep   this: # and “that” 你好"]
    assert notices == "… l1_extract is at work (5 s)\n"


def test_a_procedure_is_decided_on_with_the_words_as_typed() -> None:
    memory = ScriptedMemory()
    script = (
        "procedure approve 12ab\nprocedure approve 12ab Fits  well.\nprocedure reject 12ab Too  long.\n"
        "procedure use 12ab\nprocedure feedback 12ab attach a  plan\n"
    )
    out, _ = run_text(script, memory)
    assert memory.said == [
        *("approve 12ab", "approve 12ab Fits  well.", "reject 12ab Too  long."),
        *("use 12ab", "feedback 12ab attach a  plan"),
    ]
    assert "> procedure approve 12ab\nApproved.\n\n▣ Deploy a service" in out


def test_a_script_erases_only_with_the_token() -> None:
    memory = ScriptedMemory()
    out, _ = run_text("forget my old address\nyes\nforget\n", memory)
    assert memory.said == []
    assert "forget confirm abc:def [ids to keep]" in out
    run_text("forget confirm abc:def 1234 5678\n", memory)
    assert memory.said == ["forget abc:def 1234 5678"]


@pytest.mark.parametrize(
    ("typed", "said"),
    [("forget", ["forget abc:def"]), (" FORGET ", ["forget abc:def"]), ("yes", []), ("", [])],
)
def test_a_person_types_the_word_itself(typed: str, said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    lines = iter(["forget my old address", typed, "forget nothing", "quit"])
    monkeypatch.setattr("builtins.input", lambda _: next(lines))
    memory, out = ScriptedMemory(), io.StringIO()
    run_shell(memory=memory, screen=TextScreen(out, io.StringIO()), source=sys.stdin, is_prompting=True)
    assert memory.said == said
    assert next(lines, None) is None


@pytest.mark.parametrize(
    ("typed", "is_yes"), [("y\n", True), (" YES \n", True), ("n\n", False), ("\n", False), ("", False)]
)
def test_nothing_but_a_yes_is_a_yes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str, is_yes: bool
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert asked_at_terminal("Approve it? ") == is_yes
    assert capsys.readouterr().out == "Approve it? "


def test_an_ambiguous_id_lists_its_candidates() -> None:
    out, _ = run_text("trace 0000\n")
    assert out == (
        "> trace 0000\n"
        "2 records have such an id.\n"
        "  atom [00000011] 00000000-0000-0000-0000-000000000011  Never deploy without approval.\n\n"
    )


def test_json_gives_one_object_for_every_command() -> None:
    script = (
        "status\nscenes\nmemories\nrules\npersona\nl0\ntrace 1234\nhelp\nsay x\nwrong\ntrace 0000\n"
        "search x\nrecall x\nanswer x\nprocedure\nforget x\nquit\n"
    )
    objects, notices = run_json(script)
    assert [sorted(page.keys() - {"command"})[:1] for page in objects] == [
        ["atoms_all"],
        ["scenes"],
        ["memories"],
        ["floor"],
        ["traits"],
        ["messages"],
        ["down"],
        ["commands"],
        ["changes"],
        ["error"],
        ["candidates"],
        ["arms"],
        ["manifest"],
        ["citations"],
        ["notice"],
        ["counts"],
        [],
    ]
    assert notices == "… l1_extract is at work (5 s)\n"


def test_json_holds_the_fields_of_the_page() -> None:
    (page,), _ = run_json("persona\n")
    assert page == {
        "command": "persona",
        "traits": [
            {
                "id": "00000000-0000-0000-0000-000000000041",
                "version_id": "00000000-0000-0000-0000-000000000042",
                "slot": "decision_pattern",
                "text": "Prefers small steps.",
                "number": 1,
                "receipts": 3,
                "short_id": "00000041",
            }
        ],
    }


class FailingMemory(ScriptedMemory):
    """Cannot tell its status, and is interrupted while it speaks."""

    def status(self) -> Any:
        raise MemoryProblemError("The database did not answer: OperationalError.")

    def say(self, text: str, notice: Any) -> Any:
        raise KeyboardInterrupt


def test_a_problem_does_not_end_the_prompt() -> None:
    out, _ = run_text("status\nhelp quit\n", FailingMemory())
    assert out == (
        "> status\nThe database did not answer: OperationalError.\n\n"
        "> help quit\n  quit  leave; the end of input does too\n\n"
    )


def test_an_interrupt_ends_a_script() -> None:
    out, notices = run_text("say x\nstatus\n", FailingMemory())
    assert (out, notices[:14]) == ("> say x\n", "… Interrupted.")


def test_every_command_has_a_usage_that_begins_with_its_name() -> None:
    assert [command.usage.split()[0] for command in COMMANDS.values()] == list(COMMANDS)


def test_a_terminal_sees_colours_and_the_same_words() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    TextScreen(terminal, io.StringIO()).show("scenes", page_of("scenes"))
    assert "Billing API" in terminal.getvalue()


def page_of(line: str) -> Page:
    """A page of the scripted memory."""
    return run_line(line, memory=ScriptedMemory(), notice=print)


def test_the_terminal_needs_no_django() -> None:
    modules = ", ".join(f"memory.walkthrough.{name}" for name in ("commands", "rendering", "screen", "shell"))
    program = f"import sys, {modules}; sys.exit('django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT).returncode == 0
