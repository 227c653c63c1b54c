"""Fields of forms as Django draws them, without its template for each part: a list may have a hundred."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.safestring import SafeString

from showcase.markup import filled, joined


class NumberInput(forms.NumberInput):
    """A field for a number."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        """As text."""
        return _input(self.get_context(name, value, attrs)["widget"])


class Select(forms.Select):
    """One of many."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        """As text."""
        widget = self.get_context(name, value, attrs)["widget"]
        options = joined((_option(option) for _, group, _ in widget["optgroups"] for option in group), "\n  ")
        return filled('<select name="{}"{}>\n  {}\n</select>', name, _attributes(widget["attrs"]), options)


def _option(option: Mapping[str, Any]) -> SafeString:
    markup = '<option value="{}"{}>{}</option>'
    return filled(markup, option["value"], _attributes(option["attrs"]), option["label"])


def _input(widget: Mapping[str, Any]) -> SafeString:
    value = "" if widget["value"] is None else filled(' value="{}"', widget["value"])
    markup = '<input type="{}" name="{}"{}{}>'
    return filled(markup, widget["type"], widget["name"], value, _attributes(widget["attrs"]))


def _attributes(attributes: Mapping[str, Any]) -> SafeString:
    """Those that are True stand without a value, those that are False are left out."""
    return joined(
        (
            filled(" {}", name) if value is True else filled(' {}="{}"', name, value)
            for name, value in attributes.items()
            if value is not False
        ),
        "",
    )
