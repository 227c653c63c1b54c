"""What an operator may type in the admin."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from memory.admin.steps import STEPS
from memory.cascade.designs import available_designs
from memory.models import Entity, Key, Member, Workspace

if TYPE_CHECKING:
    KeyModelForm = forms.ModelForm[Key]
    MemberModelForm = forms.ModelForm[Member]
    EntityModelForm = forms.ModelForm[Entity]
    WorkspaceModelForm = forms.ModelForm[Workspace]
else:
    KeyModelForm = MemberModelForm = EntityModelForm = WorkspaceModelForm = forms.ModelForm


RETENTION = ("message_days", "run_days", "use_days", "event_days")


class KeyForm(KeyModelForm):
    """A new key: its scopes, and the entities it is bound to, which lie in its own workspace."""

    scopes = forms.MultipleChoiceField(
        choices=Key.Scope.choices,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        initial=[Key.Scope.READ, Key.Scope.WRITE],
        help_text="Admin implies write, write implies read.",
    )

    class Meta:
        model = Key
        fields = ("workspace", "label", "scopes", "entities", "expires_at")

    def clean(self) -> dict[str, Any]:
        """Refuse entities of another workspace."""
        cleaned = super().clean() or self.cleaned_data
        workspace = cleaned.get("workspace")
        entities = cleaned.get("entities") or ()
        if workspace and any(entity.workspace_id != workspace.pk for entity in entities):
            self.add_error("entities", ValidationError("A key's entities lie in its own workspace."))
        return cleaned


class MemberForm(MemberModelForm):
    """A person is named, not picked from a list of everybody."""

    user = forms.ModelChoiceField(
        queryset=get_user_model().objects.filter(is_active=True),
        to_field_name="username",
        widget=UnfoldAdminTextInputWidget,
        label="User name",
        error_messages={"invalid_choice": "No active user has this name."},
    )

    class Meta:
        model = Member
        fields = ("workspace", "user", "role")


class EntityForm(EntityModelForm):
    """What an operator sets on an entity: its zone, and the steps that pause."""

    paused_steps = forms.MultipleChoiceField(
        choices=STEPS,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        required=False,
        help_text="Inputs of a paused step wait; nothing is lost.",
    )

    class Meta:
        model = Entity
        fields = ("time_zone", "paused_steps")


class WorkspaceForm(WorkspaceModelForm):
    """A workspace chooses among the designs that are available to it."""

    design = forms.ChoiceField(
        help_text="Reads new messages; what memory holds already stays until it is rebuilt."
    )

    class Meta:
        model = Workspace
        fields = ("name", "design", "daily_token_budget", *RETENTION)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if "design" in self.fields:
            self.fields["design"] = self._design_field()

    def _design_field(self) -> forms.ChoiceField:
        stored = self.instance if self.instance.pk and not self.instance._state.adding else None
        found = [one.design for one in available_designs(stored)]
        choices = [(design.full_name, f"{design.full_name}: {design.description}") for design in found]
        if stored is not None and stored.design not in dict(choices):
            # It stays to be seen, and to be replaced.
            choices.append((stored.design, f"{stored.design} (not there any more)"))
        return forms.ChoiceField(
            choices=choices, help_text=self.fields["design"].help_text, widget=UnfoldAdminSelectWidget
        )
