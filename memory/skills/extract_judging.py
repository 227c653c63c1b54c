"""What of an answer may stand in a draft: receipts, pins, and nothing that belongs to a single task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memory.cascade.contract import Refusal
from memory.cascade.rules.grounding_titles import is_heading
from memory.cascade.rules.handles import NotOfferedError
from memory.cascade.rules.particulars import Particulars, holds_detail
from memory.cascade.rules.scene_text import normal_text
from memory.cascade.stage import Judged, RefusedError
from memory.skills.contract import DETAIL_LIMIT, ProcedureItem
from memory.skills.extract_taking import Declined, Described, Removed, Taken, TakenLine
from memory.skills.sources import Source, SourceKind, Sources
from memory.skills.version_writing import LineText, Receipts

NO_BASE: tuple[LineText, ...] = ()


@dataclass(slots=True)
class _Course:
    """What the items taken so far have done."""

    incidental: tuple[str, ...]
    touched: set[int] = field(default_factory=set)
    """Places of standing lines that are carried over, replaced or removed."""
    is_described: bool = False


@dataclass(frozen=True, slots=True)
class DraftJudge:
    """Judges the items of one answer against what was offered."""

    sources: Sources
    particulars: Particulars
    markers: tuple[str, ...]
    base: tuple[LineText, ...] = NO_BASE
    """Lines of the active version."""

    def judge(self, items: Sequence[tuple[int, ProcedureItem]], is_last: bool) -> Judged[Taken]:
        """Take what stands, refuse the rest with a reason each; as the last word a description is mended."""
        course = _Course(_details(items))
        taken: list[Taken] = []
        refused: list[Refusal] = []
        notes: list[dict[str, object]] = []
        for index, item in items:
            try:
                taken.append(self._take(item, course))
            except (RefusedError, NotOfferedError) as error:
                mended = self._mended(item, course) if is_last else None
                if mended is None:
                    refused.append(Refusal(index, str(error), item.model_dump(mode="json")))
                else:
                    taken.append(mended)
                    notes.append({"item": index, "outcome": "repaired", "reason": str(error)})
        return Judged(tuple(taken), tuple(refused), tuple(notes))

    def _take(self, item: ProcedureItem, course: _Course) -> Taken:
        if self._is_echo(item):
            raise RefusedError("It repeats an example of the prompt.")
        if item.action == "describe":
            return self._describe(item, course)
        if item.action == "decline":
            return self._decline(item)
        sources = self._resolved(item)
        if item.action == "remove":
            return self._remove(item, sources, course)
        return self._line(item, sources, course)

    def _is_echo(self, item: ProcedureItem) -> bool:
        words = " ".join((item.title, item.boundary, item.text)).casefold()
        return any(marker.casefold() in words for marker in self.markers)

    def _resolved(self, item: ProcedureItem) -> list[Source]:
        sources = [self.sources.resolve(said) for said in dict.fromkeys(item.sources)]
        if not sources:
            raise RefusedError(
                "It cites nothing: name the steps, the feedback or the lines that it rests on."
            )
        return sources

    def _describe(self, item: ProcedureItem, course: _Course) -> Described:
        if course.is_described:
            raise RefusedError("The procedure is described by an earlier item of this answer.")
        if reasons := self._details_in_title(item.title, course.incidental):
            raise RefusedError("; ".join(reasons) + ".")
        self._refuse_details(item.boundary, course.incidental)
        course.is_described = True
        return Described(normal_text(item.title), normal_text(item.boundary), course.incidental)

    def _mended(self, item: ProcedureItem, course: _Course) -> Described | None:
        """A description without what may not stand in it; None for other items, and where one is taken."""
        if item.action != "describe" or course.is_described or self._is_echo(item):
            return None
        course.is_described = True
        details = _details([(0, item)])
        title = "" if self._details_in_title(item.title, details) else normal_text(item.title)
        boundary = "" if self._details_in(item.boundary, details) else normal_text(item.boundary)
        return Described(title, boundary, details)

    def _decline(self, item: ProcedureItem) -> Declined:
        sources = self._resolved(item)
        if len({source.kind for source in sources}) > 1 or any(
            source.place is not None for source in sources
        ):
            raise RefusedError("Only feedback and steps are declined: name f1, f2, … or t1.s1, …")
        if not item.reason:
            raise RefusedError("Say why the feedback changes nothing.")
        receipts = _receipts(sources)
        return Declined(receipts.feedback, item.reason, receipts.trace_steps)

    def _remove(self, item: ProcedureItem, sources: Sequence[Source], course: _Course) -> Removed:
        places = self._places(sources)
        if not places:
            raise RefusedError("Name the line of the active version that goes: v.l1, v.l2, …")
        has_feedback = any(source.kind is SourceKind.FEEDBACK for source in sources)
        if not item.reason and len(places) == len(sources):
            raise RefusedError("Say why the line goes.")
        self._touch(places, course, has_feedback=has_feedback)
        return Removed(places, item.reason)

    def _line(self, item: ProcedureItem, sources: Sequence[Source], course: _Course) -> TakenLine:
        places = self._places(sources)
        text = normal_text(item.text)
        receipts = _receipts(sources)
        if receipts.is_empty:
            return self._carried(places, text, course)
        if not text:
            raise RefusedError("The line has no text.")
        same = next((place for place, line in enumerate(self.base) if line.text == text), None)
        if same is not None and places in ((), (same,)):
            return self._carried((same,), text, course)
        self._refuse_details(text, course.incidental)
        self._touch(places, course, has_feedback=bool(receipts.feedback))
        for place in places:
            # What a person wrote vouches for their words alone.
            receipts = receipts.joined(Receipts(trace_steps=self.base[place].receipts.trace_steps))
        return TakenLine(LineText(item.section, text, receipts), replaces=places)

    def _carried(self, places: tuple[int, ...], text: str, course: _Course) -> TakenLine:
        if len(places) != 1 or (text and text != self.base[places[0]].text):
            raise RefusedError(
                "A line that is carried over keeps its words; cite the steps or the feedback for other words."
            )
        self._touch(places, course, is_kept=True)
        return TakenLine(self.base[places[0]], carried=places[0])

    def _places(self, sources: Sequence[Source]) -> tuple[int, ...]:
        return tuple(source.place for source in sources if source.place is not None)

    def _touch(
        self, places: Sequence[int], course: _Course, *, has_feedback: bool = False, is_kept: bool = False
    ) -> None:
        """Note that lines are dealt with; a person's own stays unless feedback speaks for the change."""
        for place in places:
            if place in course.touched:
                raise RefusedError(f"v.l{place + 1} was named by an earlier item of this answer.")
            if self.base[place].receipts.corrections and not (has_feedback or is_kept):
                raise RefusedError(
                    f"A person wrote v.l{place + 1}: it stays word for word unless feedback is about it."
                )
        course.touched.update(places)

    def _refuse_details(self, text: str, incidental: Sequence[str]) -> None:
        if reasons := self._details_in(text, incidental):
            raise RefusedError("; ".join(reasons) + ".")

    def _details_in_title(self, title: str, incidental: Sequence[str]) -> list[str]:
        """Where every word of a title has a capital, only what the traces name is told from other words."""
        is_free = is_heading(title)
        found = [one for one in self.particulars.find(title) if not (one.is_unknown and is_free)]
        return [*_called_incidental(title, incidental), *(one.reason for one in found)]

    def _details_in(self, text: str, incidental: Sequence[str]) -> list[str]:
        return [
            *_called_incidental(text, incidental),
            *(found.reason for found in self.particulars.find(text)),
        ]


def _details(items: Sequence[tuple[int, ProcedureItem]]) -> tuple[str, ...]:
    """The incidental details that an answer names, each as it can be looked for."""
    told = (detail for _, item in items if item.action == "describe" for detail in item.incidental)
    return tuple(dict.fromkeys(words for detail in told if (words := normal_text(detail)[:DETAIL_LIMIT])))


def _called_incidental(text: str, incidental: Sequence[str]) -> list[str]:
    """What a text holds of the details that the answer itself leaves out."""
    detail = holds_detail(text, incidental)
    return [f"«{detail}» is a detail that must not survive"] if detail else []


def _receipts(sources: Sequence[Source]) -> Receipts:
    """What a line rests on beside lines of the active version."""
    return Receipts(
        trace_steps=tuple(one.id for one in sources if one.id and one.kind is SourceKind.STEP),
        feedback=tuple(one.id for one in sources if one.id and one.kind is SourceKind.FEEDBACK),
    )
