"""The part of the machine that takes words in: each way in which they come, and come again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from memory.ingest.importing import import_file
from memory.ingest.incoming import IncomingMessage, IncomingTurn
from memory.ingest.messages import Appended, append_messages
from memory.ingest.problems import IngestConflict, IngestError
from memory.ingest.sessions import end_session
from memory.ingest.turns import add_turns
from memory.models import Atom, Authority, Correction, Message, Session
from tests.cascade.story import START, an_entity
from tests.cascade.talks import open_talk
from tests.claims import observing
from tests.statemachine.deeds import picked
from tests.statemachine.embedding import RememberingEmbedder
from tests.statemachine.said import Ledger, Said

TALK = "talk"
WORDS = "Matter {matter} has value {word}."

picks = st.integers(0, 11)
matters = st.one_of(st.integers(1, 5), st.integers(1, 17))
minutes = st.one_of(st.none(), st.integers(0, 5))


class Hearing(RuleBasedStateMachine):
    """What is said to one entity; `ledger` is kept beside the database."""

    def __init__(self) -> None:
        super().__init__()
        self.name = f"agent.{uuid4().hex}"
        self.entity = an_entity(self.name)
        self.reader = an_entity(f"reader.{self.name}")
        self.is_shared = False
        self.embedder = RememberingEmbedder()
        self.ledger = Ledger(self.embedder)
        self.observed: list[tuple[int, int, int]] = []

    @rule(
        session=st.sampled_from("ab"),
        role=st.sampled_from(("user", "user", "assistant", "tool")),
        matter=matters,
        minute=minutes,
    )
    def say(self, session: str, role: str, matter: int, minute: int | None) -> None:
        word = self.ledger.new_word()
        text = WORDS.format(matter=matter, word=word.title())
        key = f"key-{word}"
        appended = self._send(
            session=session,
            role=role,
            text=text,
            dedupe_key=key,
            occurred_at=None if minute is None else START + timedelta(minutes=minute),
        )
        [stored] = appended.messages
        assert stored.is_new
        self.ledger.stored[stored.id] = Said(stored.id, key, session, text, word, minute)

    def _send(self, **values: object) -> Appended:
        message = IncomingMessage.model_validate(values)
        return append_messages(entity=self.entity, messages=[message])

    @precondition(lambda self: _keyed(self.ledger.stored.values()) != [])
    @rule(pick=picks, is_same=st.booleans())
    def say_again(self, pick: int, is_same: bool) -> None:
        said = self._one_of(_keyed(self.ledger.stored.values()), pick)
        text = said.text if is_same else "Something else."
        when = None if said.minute is None else START + timedelta(minutes=said.minute)
        row = Message.objects.get(pk=said.id)
        values = {"session": said.session, "role": row.role, "text": text, "occurred_at": when}
        if not is_same:
            with pytest.raises(IngestConflict):
                self._send(**values, dedupe_key=said.key)
            return
        [stored] = self._send(**values, dedupe_key=said.key).messages
        assert (stored.id, stored.is_new) == (said.id, False)

    @precondition(lambda self: _keyed(self.ledger.erased) != [])
    @rule(pick=picks)
    def send_what_was_erased(self, pick: int) -> None:
        said = self._one_of(_keyed(self.ledger.erased), pick)
        appended = self._send(session=said.session, role="user", text=said.text, dedupe_key=said.key)
        assert (appended.messages, appended.erased) == ((), (0,))

    @rule(name=st.sampled_from("xy"))
    def import_a_talk(self, name: str) -> None:
        """The same file as often as one likes: once imported, nothing of it is new, erased or not."""
        rows = [{"role": "user", "content": WORDS.format(matter=n, word=f"Import{name}{n}q")} for n in (1, 2)]
        with TemporaryDirectory() as folder:
            path = Path(folder) / "talk.jsonl"
            path.write_text(json.dumps({"id": f"talk-{name}", "messages": rows}))
            report = import_file(workspace=self.entity.workspace, path=path, entity=self.name)
        known = {said.text for said in (*self.ledger.stored.values(), *self.ledger.erased)}
        assert report.new == sum(row["content"] not in known for row in rows)
        for row in Message.objects.for_entity(self.entity).exclude(pk__in=self.ledger.stored):
            word = row.text.split()[-1].rstrip(".").lower()
            self.ledger.stored[row.pk] = Said(row.pk, "", f"talk-{name}", row.text, word, None)

    @rule(role=st.sampled_from(("user", "assistant")), matter=matters)
    def take_a_turn(self, role: str, matter: int) -> None:
        """A turn of a session that compaction folds; refused once it has ended."""
        word = self.ledger.new_word()
        text = WORDS.format(matter=matter, word=word.title())
        turn = IncomingTurn.model_validate({"role": role, "text": text})
        session = open_talk(self.entity, TALK)
        if session.ended_at is not None:
            with pytest.raises(IngestError):
                add_turns(session=session, turns=[turn])
            return
        [stored] = add_turns(session=session, turns=[turn]).messages
        self.ledger.stored[stored.id] = Said(stored.id, "", TALK, text, word, None)

    @precondition(lambda self: any(said.session == TALK for said in self.ledger.stored.values()))
    @rule()
    def end_the_talk(self) -> None:
        for session in Session.objects.for_entity(self.entity).filter(external_id=TALK):
            end_session(session)

    @rule(value=st.integers(0, 3), minute=st.integers(0, 5), authority=st.sampled_from(Authority))
    def observe(self, value: int, minute: int, authority: Authority) -> None:
        """The highest authority holds, the latest among equals, in whatever order they arrive."""
        self.observed.append((authority, minute, value))
        observing.say(self.entity, value, minute=minute, authority=authority)
        if Correction.objects.for_entity(self.entity).exists():
            return
        held = list(Atom.objects.for_entity(self.entity).claims().live().values_list("value", flat=True))
        highest = max(self.observed)[:2]
        assert held in [[told] for *when, told in self.observed if tuple(when) == highest]

    def _said(self, pick: int) -> Said:
        return self._one_of(list(self.ledger.stored.values()), pick)

    def _one_of(self, rows: list[Said], pick: int) -> Said:
        said = picked(rows, pick)
        assert said is not None
        return said


def _keyed(rows: Iterable[Said]) -> list[Said]:
    """Those that were sent with a dedupe key."""
    return [said for said in rows if said.key]
