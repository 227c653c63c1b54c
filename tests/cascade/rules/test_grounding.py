"""Grounding: particulars that nobody said are found, usual ways of saying the same are not."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.cascade.rules.grounding import dates_said, ungrounded

# (text, evidence): nothing in the text may be called ungrounded.
GROUNDED = [
    # Names
    ("Alice prefers window seats.", "Alice: I prefer window seats"),
    ("Prefers window seats.", "i like to sit at the window"),
    ("Allergic to latex.", "and I am allergic to latex"),
    ("Wants weekly reports. Dislikes meetings.", "send me reports every week, no meetings"),
    ("The user moved to Berlin.", "I moved to berlin"),
    ("The user works with Maria's team.", "Maria and I share a team"),
    ("Visited the Lopezes.", "we saw the Lopez family"),
    ("Works with José.", "Jose is my colleague"),
    ("The meeting with Dr. Ng is open.", "dr ng wants a meeting"),
    ("Met J. Smith at work.", "J. Smith came by"),
    ("The user's rule: Use blue by default.", "UI must use blue by default"),
    ('Said: "Never on Fridays."', "never on fridays"),
    ("Reports use UI terms.", "UI and UX guidelines"),
    ("Lives in NYC.", "I live in New York City"),
    ("The budget is in EUR.", "we have 500 €"),
    ("She is Canadian.", "I come from Canada"),
    ("Speaks Spanish.", "I grew up in Spain"),
    ("Currently lives alone. Also likes tea.", "i live by myself and drink tea"),
    ("Everyone wants the user's summary.", "all want my summary"),
    ("PAYMENTS MUST NOT STOP.", "payments must not stop"),
    ("Uses github daily.", "GitHub is open all day"),
    ("She likes O'Brien's books.", "O’Brien is great"),
    ("Il aime l'Europe.", "j'aime l’europe"),
    ("Deployment is frozen until the review is done.", "no deploys until review"),
    ("Budget is a blocker.", "we have no money"),
    # Numbers
    ("Has worked there for six years.", "I have worked at the mill for 6 years"),
    ("Has worked there for 6 years.", "worked at the mill for six years"),
    ("Earns 1,200 a month.", "I get 1200 per month"),
    ("Verdient 1.200 im Monat.", "I get 1,200 per month"),
    ("Costs 1 200 units.", "it is 1200"),
    ("Costs 5000.", "about 5k"),
    ("Costs 1.5 million.", "1,500,000 in total"),
    ("Waits 1 week.", "wait a week"),
    ("Has 2 cats.", "both cats"),
    ("The locker is number 12.", "My locker is number １２"),
    ("Has three cats.", "我有3只猫"),
    ("Has 12 apples.", "十二个苹果"),
    ("Is 25 years old.", "I'm twenty-five"),
    ("Paid 250 in total.", "two hundred and fifty it was"),
    ("Finished in 3rd place.", "I came third"),
    ("The third attempt worked.", "on the 3rd attempt"),
    ("Reads ٣ books.", "3 books"),
    ("One of the files is missing.", "a file is missing"),
    ("Runs 5km a day.", "5 km every day"),
    ("Grew by 3.5%.", "3,5 percent"),
    ("Has hundreds of photos.", "so many photos"),
    # Times
    ("The call is at 3 pm.", "call at 15:00"),
    ("The call is at 15:00.", "let's call at 3pm"),
    ("The call is at 3 pm.", "at 3 in the afternoon"),
    ("Lunch is at noon.", "we eat at 12:00"),
    ("Treffen um 18 Uhr.", "meet at 6 pm"),
    # Dates
    ("Due on 22 April 2026.", "2026-04-22 is the date"),
    ("Due on 2026-04-22.", "April 22nd, 2026"),
    ("Due on 22 April.", "the 22nd of April 2026"),
    ("Due on April 22.", "am 22. April 2026"),
    ("Due on 22 April 2026.", "22.04.2026"),
    ("Due on 4 May 2026.", "04/05/2026"),
    ("Due on 22 April.", "4月22日"),
    ("Due on 14September.", "14 September it is"),
    ("Fällig am 10. September.", "before September 10"),
    ("Started in April 2026.", "on 3 April 2026 I began"),
    ("Trip planned for September.", "before September 10"),
    ("It may rain in March.", "in march"),
    ("Started in 2023.", "since 2023-05-08"),
    ("Due on Wednesday 22 April 2026.", "by 22 April 2026"),
    # Identifiers
    ("ORDER-481 is late.", "where is order 481?"),
    ("Runs v8.2.1 now.", "version 8.2.1 is out"),
    ("Runs 8.2.1 now.", "we run v8.2.1"),
    ("The file is docs/architecture.md.", "see docs/architecture.md please"),
    ("See https://example.org/a/b.", "it is on example.org/a/b"),
    ("Write to ann@example.org.", "my mail: Ann@example.org"),
    ("Stored in C:\\data\\in.", "put it into c:\\data\\in"),
    ("Uses snake_case names.", "snake_case only"),
    ("It is done.Next comes the review.", "done, next a review"),
    ("Wants a 3-day break and a follow-up.", "three days off"),
    ("我用ThinkPad写代码。", "我的电脑是thinkpad"),
    # Other languages
    ("测试口令是蓝色风筝。", "口令"),
    ("Trinkt morgens gern Kaffee mit Milch und isst ein Brötchen.", "Ich mag Milch"),
    ("Die Besprechung mit dem Kunden ist am Nachmittag.", "wir treffen den kunden"),
    ("Arbeitet an der Datenbankmigration und nicht an der Oberfläche.", "die Datenbank zieht um"),
    ("Nutzt für die Arbeit immer einen Rechner von der Firma.", "ich habe einen Laptop"),
]

# (text, evidence, what is not grounded)
UNGROUNDED = [
    ("The user works with Brandon.", "I work with my sister", ("Brandon",)),
    ("Brandon's dog is sick.", "my dog is sick", ("Brandon",)),
    ("Brandon likes tea.", "I like tea", ("Brandon",)),
    ("Brandon is an engineer.", "ok, thanks", ("Brandon",)),
    ("Brandon is 34.", "ok, thanks", ("Brandon", "34")),
    ("Moved from Berlin to Hamburg.", "I left Berlin", ("Hamburg",)),
    ("Met Dr. Miller.", "I saw the doctor", ("Miller",)),
    ("Works with Maria.", "Marie is my colleague", ("Maria",)),
    ("Uses the API.", "UI and UX guidelines", ("API",)),
    ("API is down.", "it is down", ("API",)),
    ("Has worked there for six years.", "five years at the mill", ("six",)),
    ("Has worked there for 6 years.", "five years at the mill", ("6",)),
    ("Earns 1,200 a month.", "I get 120 a month", ("1,200",)),
    ("Is 25 years old.", "I'm fifty", ("25",)),
    ("The third attempt worked.", "the attempt worked", ("third",)),
    ("Costs 48.", "4812 it is", ("48",)),
    ("The call is at 3 pm.", "call at 16:30", ("3 pm",)),
    ("Due on 23 April 2026.", "22 April 2026", ("23 April 2026",)),
    ("Due on 22 April 2025.", "22 April 2026", ("22 April 2025",)),
    ("Due in May 2026.", "in April 2026", ("May 2026",)),
    ("Due on Friday.", "by 22 April 2026", ("Friday",)),
    ("Started in 2021.", "since 2023", ("2021",)),
    ("ORDER-482 is late.", "ORDER-481 is late", ("ORDER-482",)),
    ("Runs v8.2.2 now.", "v8.2.1", ("v8.2.2",)),
    ("See https://example.org/other.", "https://example.org/a", ("https://example.org/other",)),
    ("Write to bob@example.org.", "ann@example.org", ("bob@example.org",)),
    ("The file is src/other.py.", "src/main.py", ("src/other.py",)),
    ("我用ThinkPad写代码。", "我用电脑", ("ThinkPad",)),
    ("我有5只猫。", "我有3只猫", ("5",)),
    ("Arbeitet mit Herrn Brandt und ist nicht im Büro.", "ich arbeite zu hause", ("Brandt",)),
    ("Sie wohnt in Hamburg und ist nicht allein.", "ich wohne hier", ("Hamburg",)),
    ("Er ist mit Lukas Weber in der Schule.", "er ist in der schule", ("Lukas", "Weber")),
]


@pytest.mark.parametrize(("text", "evidence"), GROUNDED)
def test_what_was_said_in_other_words_is_grounded(text: str, evidence: str) -> None:
    assert ungrounded(text, [evidence]) == ()


@pytest.mark.parametrize(("text", "evidence", "found"), UNGROUNDED)
def test_what_nobody_said_is_found(text: str, evidence: str, found: tuple[str, ...]) -> None:
    assert ungrounded(text, [evidence]) == found


def test_speakers_names_and_several_messages_count() -> None:
    assert (
        ungrounded("Caroline met Melanie in Paris.", ["we met", "paris!"], extra=["Caroline", "Melanie"])
        == ()
    )
    assert ungrounded("Caroline met Melanie.", ["we met"], extra=["Caroline"]) == ("Melanie",)


def test_the_day_of_a_message_may_be_named() -> None:
    day = date(2026, 5, 16)
    said = ["Today I met the new landlord."]
    assert ungrounded("Met the landlord on 16 May 2026.", said, allowed_dates=[day]) == ()
    assert ungrounded("Met the landlord on Saturday, 16 May 2026.", said, allowed_dates=[day]) == ()
    assert ungrounded("Met the landlord on the 16th.", said, allowed_dates=[day]) == ()
    assert ungrounded("Met the landlord in 2026.", said, allowed_dates=[day]) == ()
    assert ungrounded("Met the landlord on 17 May 2026.", said, allowed_dates=[day]) == ("17 May 2026",)
    assert ungrounded("Has 16 cats.", said, allowed_dates=[day]) == ("16",)


def test_a_year_that_the_message_implies_may_be_named() -> None:
    said = ["It must be done before September 10"]
    allowed = [date(2026, 8, 1)]
    assert ungrounded("Ends before 10 September 2026.", said, allowed_dates=allowed) == ()
    assert ungrounded("Ends before 10 September 2029.", said, allowed_dates=allowed) == ("10 September 2029",)


SATURDAY = date(2026, 5, 16)


@pytest.mark.parametrize(
    ("words", "days"),
    [
        ("nothing in particular", []),
        ("I met him yesterday", [date(2026, 5, 15)]),
        ("wir sehen uns übermorgen", [date(2026, 5, 18)]),
        ("我昨天去了", [date(2026, 5, 15)]),
        ("last Friday", [date(2026, 5, 15), date(2026, 5, 8)]),
        ("next friday", [date(2026, 5, 22)]),
        ("three days ago", [date(2026, 5, 13)]),
        ("two weekends ago", [date(2026, 5, 2), date(2026, 5, 3)]),
        ("vor 2 Wochen", [date(2026, 5, 2)]),
        ("in two weeks", [date(2026, 5, 30)]),
        ("last week", [date(2026, 5, day) for day in range(4, 11)]),
        ("last month", [date(2026, 4, 1)]),
        ("next year", [date(2027, 1, 1)]),
        ("four years ago", [date(2022, 1, 1)]),
        ("Seven years now, and still at it", [date(2019, 1, 1)]),
        ("I have had them for 3 years", [date(2023, 1, 1)]),
        ("our trip last summer", [date(2025, 1, 1)]),
        ("下周", [date(2026, 5, 20)]),
        ("9999 years ago", []),
    ],
)
def test_relative_words_allow_the_days_they_mean(words: str, days: list[date]) -> None:
    assert {SATURDAY, *days} <= dates_said(words, SATURDAY)


def test_words_that_are_not_relative_allow_the_day_alone() -> None:
    assert dates_said("The migration may take 3 people.", SATURDAY) == {SATURDAY}


def test_relative_words_and_dates_work_together() -> None:
    said = "I went to a support group yesterday, and we go camping next month"
    allowed = dates_said(said, date(2023, 5, 8))
    assert ungrounded("Went to a support group on 7 May 2023.", [said], allowed_dates=allowed) == ()
    assert ungrounded("Goes camping in June 2023.", [said], allowed_dates=allowed) == ()
    assert ungrounded("Goes camping in August 2023.", [said], allowed_dates=allowed) == ("August 2023",)


def test_each_finding_is_named_once_in_the_order_of_the_text() -> None:
    assert ungrounded("With Zed, 77 times, and Zed again, and Amy.", ["hello"]) == ("Zed", "77", "Amy")


sentences = st.lists(
    st.sampled_from([*(text for text, _ in GROUNDED), *(text for text, _, _ in UNGROUNDED)]),
    min_size=1,
    max_size=3,
).map(" ".join)


@settings(deadline=None, max_examples=200)
@given(evidence=st.one_of(st.text(max_size=80), sentences), data=st.data())
def test_a_part_of_the_evidence_is_grounded(evidence: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(evidence)))
    end = data.draw(st.integers(start, len(evidence)))
    assert ungrounded(evidence[start:end], ["Something else.", evidence]) == ()


@settings(deadline=None, max_examples=200)
@given(text=sentences, other=sentences)
def test_whole_sentences_of_the_evidence_are_grounded_in_any_order(text: str, other: str) -> None:
    assert ungrounded(f"{text} {other}", [other, text]) == ()


@settings(deadline=None, max_examples=150)
@given(text=sentences, evidence=sentences, more=sentences)
def test_more_evidence_never_leaves_less_grounded(text: str, evidence: str, more: str) -> None:
    assert set(ungrounded(text, [evidence, more])) <= set(ungrounded(text, [evidence]))


@settings(deadline=None, max_examples=200)
@given(text=st.text(max_size=80), evidence=st.text(max_size=40))
def test_any_text_is_judged_and_findings_are_parts_of_it(text: str, evidence: str) -> None:
    findings = ungrounded(text, [evidence])
    assert all(finding.strip() for finding in findings)
    assert findings == ungrounded(text, [evidence])
