"""What a visitor may say."""

from __future__ import annotations

from django import forms
from django.conf import settings
from django.http import QueryDict

from memory.ingest.storable import is_blank


class SayForm(forms.Form):
    """One message."""

    text = forms.CharField(
        label="Say something worth remembering",
        strip=False,
        widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "off"}),
    )

    def __init__(self, data: QueryDict | None = None) -> None:
        super().__init__(data, label_suffix="")
        most = settings.MEMSEEK.sandbox.characters
        # No `maxlength`: a browser would cut what is pasted, and say nothing.
        self.fields["text"].widget.attrs["data-most"] = most
        self.fields["text"].help_text = f"Up to {most:,} characters."
        self.most = most

    def clean_text(self) -> str:
        """With the line ends that people see, and within the limit that they count by."""
        text: str = self.cleaned_data["text"].replace("\r\n", "\n")
        if is_blank(text):
            raise forms.ValidationError("Nobody can see these characters: say something.")
        if len(text) > self.most:
            raise forms.ValidationError(f"That is {len(text):,} characters, {self.most:,} are taken.")
        return text
