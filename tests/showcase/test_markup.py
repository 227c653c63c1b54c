"""What is written without templates: what is given is escaped, and fields look as Django draws them."""

from typing import Any

import pytest
from django import forms
from django.utils.safestring import SafeString

from showcase import widgets
from showcase.markup import filled, joined

HOSTILE = '<b title="x">\'&</b>'
ESCAPED = "&lt;b title=&quot;x&quot;&gt;&#x27;&amp;&lt;/b&gt;"


def test_values_are_escaped_once_and_markup_stays_markup() -> None:
    inner = filled("<i>{}</i>", HOSTILE)
    assert inner == f"<i>{ESCAPED}</i>"
    assert filled('<p id="{}">{}{}</p>', HOSTILE, inner, 4.5) == f'<p id="{ESCAPED}">{inner}4.5</p>'
    assert filled("{}", "{0}") == "{0}"
    assert [type(one) for one in (inner, joined([inner, inner]), joined([]))] == [SafeString] * 3


@pytest.mark.parametrize("value", ["", "two", HOSTILE, "none of them", None])
def test_a_list_to_choose_from_is_drawn_as_django_draws_it(value: Any) -> None:
    choices = [("", "all"), ("two", HOSTILE), (HOSTILE, "three")]
    attributes = {"id": "id_session", "required": True, "disabled": False, "title": HOSTILE}
    ours, theirs = (
        kind(choices=choices).render("session", value, attributes) for kind in (widgets.Select, forms.Select)
    )
    assert squeezed(ours) == squeezed(theirs)


@pytest.mark.parametrize("value", [None, "", 7, HOSTILE])
def test_a_number_is_drawn_as_django_draws_it(value: Any) -> None:
    attributes = {"id": "id_total", "min": 0, "required": True, "disabled": False, "placeholder": HOSTILE}
    ours, theirs = (
        kind().render("total", value, attributes) for kind in (widgets.NumberInput, forms.NumberInput)
    )
    assert squeezed(ours) == squeezed(theirs)


def squeezed(markup: str) -> str:
    return " ".join(markup.replace("\n", " ").split()).replace("> <", "><")
