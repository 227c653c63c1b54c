"""Trace pages: both ways, whole, as a tree and as an outline."""

from uuid import uuid4

import pytest
from django.http import Http404
from django.test import Client

from showcase.access import Place, Scope
from showcase.records.traces import TracePage, trace_page
from showcase.records.trees import Branch
from tests.showcase.records.conftest import Told, line_of


def kinds_of(branches: tuple[Branch, ...]) -> list[object]:
    return [(branch.kind, kinds_of(branch.children)) for branch in branches]


def page_of(told: Told, id: object) -> TracePage:
    return trace_page(Scope(told.entity, Place.DEMO), id)  # type: ignore[arg-type]


def test_a_trait_is_traced_down_to_the_words(told: Told) -> None:
    page = page_of(told, told.trait.trait_id)
    assert kinds_of(page.below) == [("line", [("atom", [("message", [])])])]
    assert page.above == ()


def test_a_message_is_traced_up_to_the_persona(told: Told) -> None:
    page = page_of(told, told.messages[0].pk)
    assert page.below == ()
    assert kinds_of(page.above) == [("atom", [("line", [("trait", [])])])]


def test_a_scene_is_traced_both_ways_from_each_of_its_versions(told: Told) -> None:
    for id in (told.head.scene_id, told.head.pk):
        page = page_of(told, id)
        assert kinds_of(page.below) == [("line", [("atom", [("message", [])])])] * 2
        assert [(line.text, kinds_of(line.children)) for line in page.above] == [
            (told.rule.text, [("trait", [])])
        ]
    assert page_of(told, told.first.pk).root.is_past


def test_the_outline_says_the_same_as_the_tree(told: Told) -> None:
    page = page_of(told, told.rule.pk)
    assert page.outline.text.splitlines()[1] == f"  {told.rule.text}"
    for part in ("rests on", "is used by", told.messages[0].text, told.trait.text):
        assert part in page.outline.text


def test_what_no_record_has_is_not_found(told: Told) -> None:
    with pytest.raises(Http404):
        page_of(told, uuid4())


def test_a_line_leads_to_the_newest_version_that_holds_it(told: Told, client: Client) -> None:
    scene = f"/showcase/agent-memory/scenes/{told.head.scene_id}/"
    gone = line_of(told.first, "The move of Ledger 0 is in May this year.")
    kept = line_of(told.head, told.rule.text)
    pages = [page_of(told, line.pk).own_url for line in (gone, kept)]
    places = [f"line-{line.pk.hex[-8:]}" for line in (gone, kept)]
    assert pages == [f"{scene}versions/1/#{places[0]}", f"{scene}#{places[1]}"]
    for page, place in zip(pages, places, strict=True):
        assert f'id="{place}"' in client.get(page).content.decode()
