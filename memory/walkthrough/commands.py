"""The commands of the prompt: one table, one implementation, for every terminal that looks at a memory.

A command checks its arguments, asks a `Memory`, and gives a page: a frozen record that `rendering` turns
into text and `json_lines` into JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches

from memory.recall.hits import Found
from memory.recall.records import AtomRecord, LadderStatus, MessageRecord, RulesPage, SceneRecord, TraitRecord
from memory.walkthrough.access import (
    Answered,
    Forgetting,
    Forgotten,
    Memory,
    Procedures,
    Rendered,
    Said,
    Traced,
)

DEFAULT_FLOOR = 70
HIGHEST_PRIORITY = 100
NAME_SHOWN = 32
CONFIRM = "confirm"


class UsageError(Exception):
    """Wrong arguments; the text says what to write instead."""


@dataclass(frozen=True, slots=True)
class Help:
    """The commands there are."""

    commands: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class Quit:
    """The end of the prompt."""


@dataclass(frozen=True, slots=True)
class Scenes:
    """All live scenes."""

    scenes: tuple[SceneRecord, ...]


@dataclass(frozen=True, slots=True)
class Memories:
    """All atoms, with history."""

    memories: tuple[AtomRecord, ...]


@dataclass(frozen=True, slots=True)
class Persona:
    """All live traits."""

    traits: tuple[TraitRecord, ...]


@dataclass(frozen=True, slots=True)
class Transcript:
    """Messages word for word; `session` is set when only one was asked for."""

    session: str | None
    messages: tuple[MessageRecord, ...]


Ladder = Scenes | Memories | Persona | Transcript | RulesPage | LadderStatus
Page = (
    Help | Quit | Said | Ladder | Traced | Found | Rendered | Answered | Procedures | Forgetting | Forgotten
)


@dataclass(frozen=True, slots=True)
class Call:
    """What a command works with."""

    memory: Memory
    argument: str
    """The rest of the line, as typed, without space around it."""
    notice: Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Command:
    """A command's name, how it is written, what it does, and the function that does it."""

    name: str
    arguments: str
    about: str
    run: Callable[[Call], Page]

    @property
    def usage(self) -> str:
        """How the command is written, for example `rules [floor]`."""
        return f"{self.name} {self.arguments}".rstrip()


def _without_arguments(command: str, call: Call) -> None:
    if call.argument:
        raise UsageError(f"{command} takes no arguments.")


def _say(call: Call) -> Page:
    if not call.argument:
        raise UsageError("Write what you want to say: say <text>")
    return call.memory.say(call.argument, call.notice)


def _scenes(call: Call) -> Page:
    _without_arguments("scenes", call)
    return Scenes(call.memory.scenes())


def _memories(call: Call) -> Page:
    _without_arguments("memories", call)
    return Memories(call.memory.memories())


def _rules(call: Call) -> Page:
    if not call.argument:
        return call.memory.rules(DEFAULT_FLOOR)
    is_number = call.argument.isascii() and call.argument.isdigit() and len(call.argument) <= 3
    if not is_number or int(call.argument) > HIGHEST_PRIORITY:
        raise UsageError(f"The floor is a whole number from 0 to {HIGHEST_PRIORITY}: rules [floor]")
    return call.memory.rules(int(call.argument))


def _persona(call: Call) -> Page:
    _without_arguments("persona", call)
    return Persona(call.memory.persona())


def _transcript(call: Call) -> Page:
    session = call.argument or None
    return Transcript(session, call.memory.transcript(session))


def _trace(call: Call) -> Page:
    if len(call.argument.split()) != 1:
        raise UsageError("Give one id, or at least 4 digits of its end: trace <id>")
    return call.memory.trace(call.argument)


def _search(call: Call) -> Page:
    if not call.argument:
        raise UsageError("Write what you look for: search <words>")
    return call.memory.search(call.argument)


def _recall(call: Call) -> Page:
    if not call.argument:
        raise UsageError("Write what is about to be done: recall <task>")
    return call.memory.recall(call.argument)


def _answer(call: Call) -> Page:
    if not call.argument:
        raise UsageError("Write your question: answer <question>")
    return call.memory.answer(call.argument)


def _procedure(call: Call) -> Page:
    word, *rest = call.argument.split(maxsplit=2) or [""]
    if word not in PROCEDURE_WORDS:
        return call.memory.procedures(call.argument)
    needed, run = PROCEDURE_WORDS[word]
    if len(rest) < needed:
        raise UsageError(PROCEDURE_USAGE[word])
    id_part, said = (*rest, "")[:2]
    return run(call, id_part, said)


PROCEDURE_USAGE = {
    "approve": "Give the id of a draft, and why if you like: procedure approve <id> [reason]",
    "reject": "Give the id of a draft, and why: procedure reject <id> <reason>",
    "use": "Give the id of an active version: procedure use <id>",
    "feedback": "Give the id of a use or an active version, and your words: procedure feedback <id> <words>",
}
PROCEDURE_WORDS: dict[str, tuple[int, Callable[[Call, str, str], Page]]] = {
    "approve": (1, lambda call, id_part, said: call.memory.approve_draft(id_part, said)),
    "reject": (2, lambda call, id_part, said: call.memory.reject_draft(id_part, said)),
    "use": (1, lambda call, id_part, said: call.memory.use_procedure(id_part)),
    "feedback": (2, lambda call, id_part, said: call.memory.say_of_procedure(id_part, said, call.notice)),
}
"""How many arguments each needs, and what it does. Any other word is one to look for."""


def _forget(call: Call) -> Page:
    if not call.argument:
        raise UsageError("Write what is to be forgotten: forget <words>")
    word, *rest = call.argument.split()
    if word.casefold() != CONFIRM:
        return call.memory.forget(call.argument)
    if not rest:
        raise UsageError(f"Give the token that was shown: forget {CONFIRM} <token> [ids to keep]")
    token, *keep = rest
    return call.memory.confirm_forget(token, tuple(keep))


def _status(call: Call) -> Page:
    _without_arguments("status", call)
    return call.memory.status()


def _help(call: Call) -> Page:
    if not call.argument:
        return Help(tuple(COMMANDS.values()))
    return Help((find_command(call.argument),))


def _quit(call: Call) -> Page:
    return Quit()


COMMANDS = {
    command.name: command
    for command in (
        Command("say", "<text>", "add a message and watch what it changes", _say),
        Command("scenes", "", "list the scenes (L2), one document for each topic", _scenes),
        Command("memories", "", "show the atoms (L1): single claims, replaced ones too", _memories),
        Command("rules", "[floor]", "show standing rules at or above a priority (70)", _rules),
        Command("persona", "", "show stable traits (L3)", _persona),
        Command("recall", "<task>", "show the context that an agent would get for a task", _recall),
        Command("l0", "[session]", "replay what was said, word for word (L0)", _transcript),
        Command("trace", "<id>", "follow a record back to its evidence, and up to its uses", _trace),
        Command("search", "<words>", "find what memory holds, on every layer, with its words", _search),
        Command("answer", "<question>", "answer from memory alone, with citations", _answer),
        Command(
            "procedure",
            "[words]",
            "show reviewed procedures and drafts; procedure approve, reject, use, feedback <id>",
            _procedure,
        ),
        Command(
            "forget",
            "<words>",
            "list what is meant, for you to confirm; forget confirm <token> [ids to keep] erases it",
            _forget,
        ),
        Command("status", "", "count the records of each layer, and what waits", _status),
        Command("help", "[command]", "show the commands", _help),
        Command("quit", "", "leave; the end of input does too", _quit),
    )
}
SYNONYMS = {"exit": "quit", "?": "help"}


def split_line(line: str) -> tuple[str, str]:
    """The command's name and the rest of a typed line."""
    name, *rest = line.split(maxsplit=1) or [""]
    return name.casefold(), "".join(rest).strip()


def find_command(name: str) -> Command:
    """The command of that name; UsageError with the nearest names when there is none."""
    name = name.casefold()
    command = COMMANDS.get(SYNONYMS.get(name, name))
    if command is not None:
        return command
    close = get_close_matches(name, COMMANDS, n=1)
    hint = f"Did you mean {close[0]}?" if close else "Type help to see the commands."
    raise UsageError(f"There is no command {name[:NAME_SHOWN]!r}. {hint}")


def _check_characters(line: str) -> None:
    """Bytes that were no text arrive as lone surrogates."""
    if "\x00" in line or any("\ud800" <= character <= "\udfff" for character in line):
        raise UsageError("The line holds something that is no text (UTF-8 without NUL).")


def run_line(line: str, *, memory: Memory, notice: Callable[[str], object]) -> Page:
    """Run one typed line. Raises UsageError, and what the memory raises."""
    _check_characters(line)
    name, argument = split_line(line)
    return find_command(name).run(Call(memory=memory, argument=argument, notice=notice))
