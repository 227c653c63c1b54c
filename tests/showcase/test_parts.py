"""Each recurring part, rendered with words that would like to be markup."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django import forms
from django.template import Context, Template
from django.template.loader import render_to_string

from memory.cascade.rules.difference import Change, Edit
from memory.recall.scene_versions import ComparedLine, WordPiece
from showcase.parts import (
    Action,
    Card,
    Code,
    Counter,
    Crumb,
    Empty,
    Fact,
    Notice,
    Pager,
    Receipt,
    Segment,
    Version,
    token_bar,
)

HOSTILE = "<script>alert(1)</script> \u202etxt.exe & \"quoted\" 'text'"
ID = UUID("00000000-0000-7000-8000-0000deadbeef")
AT = datetime(2026, 6, 2, 9, 0, tzinfo=UTC)
TAGS = {
    "_record": "{% load showcase %}{% anchored_record card %}",
    "_receipts": "{% load showcase %}{% receipts receipts %}",
}
"""Parts that are no templates: each by its tag."""
FOLDER = Path(__file__).resolve().parents[2] / "templates" / "showcase" / "parts"


class Narrowed(forms.Form):
    text = forms.CharField(required=False)
    page = forms.IntegerField(widget=forms.HiddenInput, required=False)


def line(change: Change, before: str | None, after: str | None, *words: WordPiece) -> ComparedLine:
    return ComparedLine(change, "core_sop", ID, ID, before, after, words)


CONTEXTS: dict[str, dict[str, Any]] = {
    "_breadcrumbs": {"crumbs": [Crumb("Overview", "/overview/"), Crumb(HOSTILE)]},
    "_receipts": {
        "receipts": [
            Receipt("atom", ID, "/atoms/1/", note=HOSTILE),
            Receipt("correction", ID),
            Receipt("outside", None, text=HOSTILE),
        ]
    },
    "_record": {
        "card": Card(
            kind="atom",
            id=ID,
            text=HOSTILE,
            title=HOSTILE,
            url="/atoms/1/",
            at=AT,
            facts=(Fact("priority", "92"), Fact("when", HOSTILE), Fact("seen", at=AT)),
            receipts=(Receipt("message", ID, "/messages/1/"),),
            state="superseded",
            attachment=HOSTILE,
        ),
    },
    "_counter": {"counter": Counter("atoms", 14, "L1", "1 superseded", "#atoms")},
    "_token_bar": {
        "bar": token_bar("Memory", [Segment("persona", 30, "L3"), Segment("rules", 10)], budget=80)
    },
    "_difference": {
        "lines": [
            line(Change.ADDED, None, HOSTILE),
            line(Change.REMOVED, HOSTILE, None),
            line(
                Change.REWORDED,
                "a",
                "b",
                WordPiece(Edit.EQUAL, HOSTILE),
                WordPiece(Edit.DELETE, "July"),
                WordPiece(Edit.INSERT, "October"),
            ),
        ],
        "unchanged": 2,
    },
    "_versions": {
        "versions": [
            Version(
                2, "/2/", AT, HOSTILE, "1 reworded", is_current=True, is_shown=True, compare_url="/2/with/1/"
            ),
            Version(1, "/1/", AT, "offline", "3 added"),
        ]
    },
    "_empty": {"empty": Empty("Nothing yet", HOSTILE, "make demo", (Action("Start", "/"),))},
    "_notice": {"notice": Notice(HOSTILE, "bad", Action("Mend it", "/mend/"))},
    "_pager": {"pager": Pager("1 to 50 of 312", older_url="?after=50")},
    "_filter": {"form": Narrowed({"text": HOSTILE}), "clear_url": "/all/"},
    "_facts": {"facts": [Fact("model", HOSTILE), Fact("run", "open", "/runs/1/"), Fact("seen", at=AT)]},
    "_code": {"code": Code(HOSTILE, "The context", wraps=True)},
}


def rendered(name: str, **more: Any) -> str:
    if name in TAGS:
        return Template(TAGS[name]).render(Context(CONTEXTS[name] | more))
    return render_to_string(f"showcase/parts/{name}.html", CONTEXTS[name] | more)


def flat(markup: str) -> str:
    return " ".join(markup.split())


def test_every_part_is_tried_here() -> None:
    assert {path.stem for path in FOLDER.glob("*.html")} == {*CONTEXTS.keys() - TAGS.keys(), "_theme"}


@pytest.mark.parametrize("name", CONTEXTS)
def test_a_part_shows_hostile_words_as_text(name: str) -> None:
    markup = rendered(name)
    assert re.findall(r"<script|<style|\sstyle=|\son\w+=", markup) == []
    if HOSTILE in str(CONTEXTS[name]) or name in ("_record", "_code"):
        assert "&lt;script&gt;" in markup
    if name not in ("_empty", "_filter"):
        assert "\u202e" not in markup


@pytest.mark.parametrize("name", CONTEXTS)
def test_a_part_closes_what_it_opens(name: str) -> None:
    markup = re.sub(r"<(?:input|meta|img|br|rect)\b[^>]*>", "", rendered(name))
    opened = sorted(re.findall(r"<([a-z][a-z0-9]*)", markup))
    assert opened == sorted(re.findall(r"</([a-z][a-z0-9]*)", markup))


def test_a_record_names_its_layer_its_state_and_its_receipts() -> None:
    markup = rendered("_record")
    for piece in (
        '<article class="card l1 card-past" id="atom-deadbeef">',
        '<span class="state">superseded</span>',
        '<time datetime="2026-06-02T09:00:00+00:00">2 Jun 2026, 09:00</time>',
        '<a class="chip l0" href="/messages/1/">message <span class="id">deadbeef</span></a>',
    ):
        assert piece in markup


def test_a_token_bar_is_drawn_in_parts_of_its_budget() -> None:
    markup = rendered("_token_bar")
    assert re.findall(r'<rect class="(\w*)" x="([\d.]+)" width="([\d.]+)"', markup) == [
        ("l3", "0.0", "37.5"),
        ("", "37.5", "12.5"),
    ]
    assert "<b>40</b> of 80 tokens" in flat(markup)


@pytest.mark.parametrize(
    ("tokens", "budget", "widths", "is_over"),
    [
        ((), None, [], False),
        ((5,), None, [100.0], False),
        ((0, 0), 10, [0.0, 0.0], False),
        ((30, 30), 40, [50.0, 50.0], True),
    ],
)
def test_a_bar_never_leaves_its_frame(
    tokens: tuple[int, ...], budget: int | None, widths: list[float], is_over: bool
) -> None:
    bar = token_bar("Memory", [Segment("part", count) for count in tokens], budget=budget)
    assert ([segment.width for segment in bar.segments], bar.is_over) == (widths, is_over)


def test_a_difference_says_what_came_what_went_and_what_was_reworded() -> None:
    markup = flat(rendered("_difference"))
    assert re.findall(r'class="hidden">(\w+):</span>', markup) == ["Added", "Removed", "Reworded"]
    assert '<del><bdi class="said">July</bdi></del><ins><bdi class="said">October</bdi></ins>' in markup
    assert markup.count("Core SOP") == 1
    assert "2 lines stayed as they were." in markup
    assert "No line changed." in render_to_string("showcase/parts/_difference.html", {"lines": []})


def test_a_timeline_links_other_versions_and_marks_the_one_that_is_shown() -> None:
    markup = rendered("_versions")
    assert re.findall(r'href="([^"]+)"', markup) == ["/2/with/1/", "/1/"]
    assert '<b aria-current="true">Version 2</b>' in markup


def test_a_pager_has_no_link_where_the_list_ends() -> None:
    assert re.findall(r'rel="(\w+)"', rendered("_pager")) == ["next"]


def test_a_copy_button_waits_for_its_script() -> None:
    assert re.search(r"<button[^>]* data-copy-button hidden>", rendered("_code"))
