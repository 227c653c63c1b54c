"""What an operator may decide about claims, and where live values may come from."""

import re
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from memory.claims.live_addresses import Hosts, LiveError, filled, target_of, template_problem
from memory.claims.matching import PATTERN_SHAPE, is_pattern
from memory.models import Authority, LiveSource, Policy

if TYPE_CHECKING:
    PolicyModelForm = forms.ModelForm[Policy]
    LiveSourceModelForm = forms.ModelForm[LiveSource]
else:
    PolicyModelForm = LiveSourceModelForm = forms.ModelForm

LONGEST_MILLISECONDS = 10_000
MOST_BYTES = 1_048_576
LONGEST_CACHE_SECONDS = 86_400 * 7
EXAMPLE = {"kind": "kind", "identifier": "identifier", "predicate": "predicate"}
_NAME = re.compile(r"[\w.-]{1,64}")


class PolicyForm(PolicyModelForm):
    """A pattern, and what becomes of the claims that it matches."""

    asserted_by = forms.TypedMultipleChoiceField(
        choices=[*reversed(Authority.choices)],
        coerce=int,
        initial=Authority.values,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text="Whoever is left out is refused, with an error that says so.",
    )

    class Meta:
        model = Policy
        fields = ("workspace", "pattern", "action", "cardinality", "asserted_by", "source")

    def clean_pattern(self) -> str:
        """Refuse what matches nothing."""
        pattern: str = self.cleaned_data["pattern"]
        if not is_pattern(pattern):
            raise ValidationError(f"Write {PATTERN_SHAPE}.")
        return pattern

    def clean(self) -> dict[str, Any]:
        """A live policy has a source of its own workspace, any other has none."""
        cleaned = super().clean() or self.cleaned_data
        is_live, source = cleaned.get("action") == Policy.Action.LIVE, cleaned.get("source")
        if is_live and source is None and "source" not in self.errors:
            self.add_error("source", "Choose the source that the values are fetched from.")
        elif source is not None and not is_live:
            self.add_error("source", "Only a policy whose action is live has a source.")
        elif source is not None and source.workspace_id != self._workspace_id(cleaned):
            self.add_error("source", "The source of a policy lies in its own workspace.")
        return cleaned

    def _workspace_id(self, cleaned: dict[str, Any]) -> Any:
        workspace = cleaned.get("workspace")
        return workspace.pk if workspace is not None else self.instance.workspace_id


class LiveSourceForm(LiveSourceModelForm):
    """A source that the settings of the installation allow."""

    timeout_milliseconds = forms.IntegerField(
        min_value=1,
        max_value=LONGEST_MILLISECONDS,
        initial=500,
        help_text="So long a context waits for it at most.",
    )
    most_bytes = forms.IntegerField(min_value=1, max_value=MOST_BYTES, initial=65_536)
    cache_seconds = forms.IntegerField(
        min_value=0, max_value=LONGEST_CACHE_SECONDS, initial=60, help_text="0 asks each time."
    )

    class Meta:
        model = LiveSource
        fields = (
            *("workspace", "name", "kind", "address", "credential"),
            *("timeout_milliseconds", "most_bytes", "cache_seconds"),
        )

    def clean_name(self) -> str:
        """A name that stands well in a sentence."""
        name: str = self.cleaned_data["name"]
        if not _NAME.fullmatch(name):
            raise ValidationError("Write letters, digits, dots, hyphens and underscores, without spaces.")
        return name

    def clean_credential(self) -> str:
        """A credential of the settings, never a secret."""
        name: str = self.cleaned_data["credential"]
        if name and name not in settings.MEMSEEK.live.credentials:
            raise ValidationError("MEMSEEK_LIVE_CREDENTIALS has none of this name.")
        return name

    def clean(self) -> dict[str, Any]:
        """The address is one of its kind, and allowed."""
        cleaned = super().clean() or self.cleaned_data
        address = cleaned.get("address")
        if address and cleaned.get("kind"):
            is_callable = cleaned["kind"] == LiveSource.Kind.CALLABLE
            problem = _callable_problem(address) if is_callable else _http_problem(address)
            if problem:
                self.add_error("address", problem)
            if is_callable and cleaned.get("credential"):
                self.add_error("credential", "A function gets no credential.")
        return cleaned


def _callable_problem(name: str) -> str:
    known = settings.MEMSEEK.live.callables
    if name in known:
        return ""
    return (
        f"MEMSEEK_LIVE_CALLABLES has no function of this name; it has: {', '.join(sorted(known)) or 'none'}."
    )


def _http_problem(address: str) -> str:
    problem = template_problem(address)
    if problem:
        return f"The address {problem}."
    live = settings.MEMSEEK.live
    try:
        target_of(filled(address, EXAMPLE), Hosts(frozenset(live.hosts), frozenset(live.private_hosts)))
    except LiveError as error:
        return f"The address {error}: MEMSEEK_LIVE_HOSTS and MEMSEEK_LIVE_ALLOW_PRIVATE say which ones are."
    return ""
