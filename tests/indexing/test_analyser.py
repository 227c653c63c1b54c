"""What is found by what: each stored text by its query, among texts that are not meant."""

from collections import Counter, defaultdict
from itertools import product
from math import log

import pytest

from memory.indexing.analyser import analyse, detect_languages, length_of, query_terms

CASES = [
    ("我在上海的一家咖啡馆见到了张伟", "咖啡馆"),
    ("我家的猫叫小黑", "猫"),
    ("来週の月曜日に東京タワーへ行きます", "東京タワー"),
    ("ｺｰﾋｰは毎朝二杯飲みます", "コーヒー"),
    ("내일 학교에서 시험을 봅니다", "학교는"),
    ("كِتاب أحمد على الطاولة", "كتاب احمد"),
    ("وصلت السيّارة الحمراء", "سياره"),
    ("התיקון של תִּקּוּן הַמִּדְרָכָה הסתיים", "תקון"),
    ("קניתי את הספרים הישנים", "ספר"),
    ("Işık kapalı, ISPARTA yolunda", "ısparta"),
    ("İstanbul'da buluşalım", "istanbul"),
    ("The party was great 🎉👩‍💻", "🎉"),
    ("Signed off by 👍🏽 yesterday", "👍"),
    ("Zimmer １２３４５ ist reserviert", "12345"),
    ("We paid 98,765 euros for the boat", "98765"),
    ("Der Krankenversicherungsbeitrag steigt", "Versicherung"),
    ("Das Donaudampfschifffahrtsmuseum ist montags zu", "Museum"),
    (r"Saved under C:\data\in/out on the server", r"C:\data\in/out"),
    ("The parcel ORDER-481 never arrived", "ORDER-481"),
    ("The parcel ORDER-481 never arrived", "order 481"),
    ("Trace 550e8400-e29b-41d4-a716-446655440000 failed", "550e8400-e29b-41d4-a716-446655440000"),
    ("Trace 550e8400-e29b-41d4-a716-446655440000 failed", "446655440000"),
    ("We run v8.2.1 in production", "v8.2.1"),
    ("We run v8.2.1 in production", "8.2.1"),
    ('The mask is a|b (c) "d"', 'a|b (c) "d"'),
    ("Call parseInvoiceHeader first", "invoice header"),
    ("Set max_retry_count to four", "max_retry_count"),
    ("Set max_retry_count to four", "maxRetryCount"),
    ("Write to eva.lund@example.org", "eva.lund@example.org"),
    ("Write to eva.lund@example.org", "lund"),
    ("See https://docs.example.net/guide/setup?step=2#top", "docs.example.net"),
    ("Vote with #teamoffsite please", "#teamoffsite"),
    ("The plugin is written in C++", "C++"),
    ("The E-mail bounced", "email"),
    ("Crème brûlée is her favourite dessert", "creme brulee"),
    ("Straße gesperrt bis Mai", "STRASSE"),
    ("My brother saw The Who in Leeds", "The Who"),
    ("To be or not to be", "to be or not to be"),
    ("สวัสดีครับ ผมชื่อสมชาย", "สมชาย"),
    ("Она переехала в Новосибирске летом", "Новосибирск"),
    ("We were running late for the ferries", "ferry"),
]

PEOPLE = ("Maria", "Tom", "The vendor", "Our team", "Das Büro", "Der Chef")
DEEDS = (
    "moved the meeting to room 12346 and ORDER-482 waits",
    "opened the ticket 6ba7b810-9dad-11d1-80b4-00c04fd430c8 about v8.3.0",
    "prefers tea over juice, which the cook remembers 🚀",
    "copied D:\\data\\out/in to the backup disk for 98,766 seconds",
    "hat die Verunsicherung wegen der Erinnerungen besprochen",
    "plant eine Versammlung über die Verwaltungsgebühren",
    "wrote to adam.lind@example.com about the invoice footer",
    "would rather be at home than in the office, who would not",
    "asked for e|f (g) and min_wait_time in D",
    "wants #teamoffice stickers and C# lessons",
    "sah den Film über die Entdeckung der Seefahrt",
    "said the trains were delayed again by snow",
)
OTHERS = (
    "我明天去北京开会，下午回来",
    "她昨天买了一只狗和两条鱼",
    "来週の火曜日に大阪城を見ます",
    "紅茶は毎晩一杯飲みます",
    "오늘 병원에서 친구를 만났습니다",
    "قلم محمد في الحقيبة",
    "غادر القطار الأزرق",
    "הבניין של השכונה נפתח",
    "מכרתי את השולחן החדש",
    "Akşam kapıyı kapat, Ankara yolunda",
    "İzmir'de kalalım",
    "ขอบคุณมาก ฉันชื่อมาลี",
    "Он вернулся из Москвы зимой",
)
DISTRACTORS = [
    *(f"{who} {deed}, day {day}" for who, deed, day in product(PEOPLE, DEEDS, (3, 4, 5))),
    *OTHERS,
]


class Index:
    """BM25 over a handful of texts, as the search weighs terms."""

    def __init__(self, texts: list[str]) -> None:
        self.languages = detect_languages(texts)
        analysed = [analyse(text, languages=self.languages) for text in texts]
        self._lengths = [length_of(terms) for terms in analysed]
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, terms in enumerate(analysed):
            for term, count in terms.items():
                self._postings[term].append((number, count))

    def scores(self, query: str) -> Counter[int]:
        mean = sum(self._lengths) / len(self._lengths)
        found: Counter[int] = Counter()
        for term, weight in query_terms(query, languages=self.languages).items():
            postings = self._postings.get(term, [])
            rarity = log(1 + (len(self._lengths) - len(postings) + 0.5) / (len(postings) + 0.5))
            for number, count in postings:
                norm = 0.25 + 0.75 * self._lengths[number] / mean
                found[number] += weight * rarity * count * 2.2 / (count + 1.2 * norm)  # type: ignore[assignment]
        return found


TEXTS = list(dict.fromkeys(text for text, _ in CASES))


@pytest.fixture(scope="module")
def index() -> Index:
    assert len(DISTRACTORS) >= 200
    return Index([*TEXTS, *DISTRACTORS])


@pytest.mark.parametrize(("stored", "query"), CASES, ids=[query for _, query in CASES])
def test_a_stored_text_is_found_first_and_little_else_is(index: Index, stored: str, query: str) -> None:
    ranked = index.scores(query).most_common()
    assert ranked[0][0] == TEXTS.index(stored)
    assert [number for number, score in ranked[1:] if score > ranked[0][1] / 2] == []


def test_case_width_accents_and_marks_are_one() -> None:
    written = "ＣＡＦÉ café CAFE\u0301 cafe"
    assert analyse(written, languages=()) == Counter({"cafe": 4})


def test_stop_words_are_left_out_of_index_and_query() -> None:
    text = "What did Maria say about the deployments?"
    assert analyse(text, languages=["en"]) == Counter({"maria": 1, "say": 1, "deployments": 1, "deploy": 1})
    plain = {term: weight for term, weight in query_terms(text, languages=["en"]).items() if term[0] != "…"}
    assert plain == {"maria": 1.0, "say": 1.0, "deployments": 0.2, "deploy": 0.8}


def test_stop_words_written_as_a_name_are_kept() -> None:
    assert analyse("Ask Will in IT about it", languages=["en"]) == Counter({"ask": 1, "will": 1, "it": 1})
    assert analyse("Yes, and I'm glad", languages=["en"]) == Counter({"yes": 1, "glad": 1})
    assert analyse("WILL IT BE DONE", languages=["en"]) == Counter({"done": 1})


def test_a_query_of_nothing_but_stop_words_or_signs_still_asks() -> None:
    assert query_terms("The Who", languages=["en"]) == {"the": 1.0, "who": 1.0}
    assert query_terms("who are you", languages=["en"]) == {"who": 1.0, "are": 1.0, "you": 1.0}
    assert query_terms("don't", languages=["en"]) == {"don't": 1.0}
    assert query_terms("?!", languages=["en"]) == {"?!": 1.0}
    assert query_terms(" \n", languages=["en"]) == {}


def test_numbers_are_compared_by_value() -> None:
    written = {
        number: set(analyse(number, languages=())) for number in ("1,200.50", "1.200,5", "1'200", "３.10")
    }
    assert written == {
        "1,200.50": {"1200.5"},
        "1.200,5": {"1200.5"},
        "1'200": {"1200"},
        "３.10": {"3.1", "3.10"},
    }


def test_a_code_is_kept_as_written_and_in_parts() -> None:
    assert set(analyse("(ORDER-481),", languages=())) == {"order-481", "order481", "order", "481"}
    assert set(analyse("parseHTTPHeader", languages=())) >= {"parsehttpheader", "parse", "http", "header"}


def test_a_long_word_is_kept_in_pieces_that_do_not_make_the_text_longer() -> None:
    terms = analyse("Schifffahrtsamt", languages=["de"])
    assert length_of(terms) == 1
    assert [term for term in terms if term[0] == "…"][:2] == ["…schif", "…chiff"]


def test_pieces_weigh_little_and_one_alone_next_to_nothing() -> None:
    weights = query_terms("Versicherung Konto", languages=["de"])
    assert {term: round(weight, 3) for term, weight in weights.items()} == {
        "versicherung": 0.2,
        "versicher": 0.8,
        "…versi": 0.133,
        "…siche": 0.133,
        "…icher": 0.133,
        "konto": 1.0,
        "…konto": 0.133,
    }


def test_stems_follow_the_languages_given() -> None:
    words = {language: set(analyse("casas", languages=[language])) for language in ("en", "es", "xx")}
    assert words == {"en": {"casas", "casa"}, "es": {"casas", "cas"}, "xx": {"casas"}}


def test_elisions_and_possessives_are_cut_off() -> None:
    assert set(analyse("l'équipe d’Anne's", languages=())) == {"equipe", "anne"}


def test_a_picture_of_several_is_found_whole_and_by_each() -> None:
    assert set(analyse("👩🏽‍💻", languages=())) == {"👩\u200d💻", "👩", "💻"}
