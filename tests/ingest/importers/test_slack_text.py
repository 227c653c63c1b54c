"""Slack's marks as a person reads them."""

import pytest

from memory.ingest.importers.slack_text import plain_text

NAMES = {"U1": "Ana", "C1": "garden"}


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("hi <@U1>, and <@U9>", "hi @Ana, and @U9"),
        ("<@U9|zoe> in <#C1> or <#C9|shed>", "@zoe in #garden or #shed"),
        ("<!here> <!subteam^S1|@carers> <!subteam^S1>", "@here @carers @subteam"),
        (
            "<https://a.example|the plan> <https://a.example>",
            "the plan (https://a.example) https://a.example",
        ),
        ("<mailto:a@b.example|a@b.example>", "a@b.example"),
        ("1 &lt; 2 &amp;&amp; &lt;b&gt;", "1 < 2 && <b>"),
        ("5 > 3", "5 > 3"),
    ],
)
def test_marks_are_written_out(text: str, plain: str) -> None:
    assert plain_text(text, NAMES) == plain
