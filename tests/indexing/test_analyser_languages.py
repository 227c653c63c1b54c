"""Languages are told from a sample, always the same."""

from concurrent.futures import ThreadPoolExecutor
from itertools import repeat

import pytest

from memory.indexing.analyser import analyse, detect_languages
from memory.indexing.analyser_languages import LANGUAGES, stop_words

SAMPLES = {
    ("en",): "We decided to move the deadline because the vendor could not deliver it.",
    ("de", "en"): "Wir haben beschlossen, den Termin zu verschieben, weil der Lieferant nicht liefern kann.",
    ("es", "en"): "Decidimos mover la fecha porque el proveedor no puede entregar los informes a tiempo.",
    ("fr", "en"): "Nous avons décidé de déplacer la date parce que le fournisseur ne peut pas livrer.",
    ("pt", "en"): "Decidimos mudar a data porque o fornecedor não pode entregar a tempo para nós.",
    ("it", "en"): "Abbiamo deciso di spostare la data perché il fornitore non può consegnare.",
    ("nl", "en"): "We hebben besloten de datum te verplaatsen omdat de leverancier niet kan leveren.",
    ("sv", "en"): "Vi har bestämt att flytta datumet eftersom leverantören inte kan leverera det.",
    ("da", "no", "en"): "Vi har besluttet at flytte datoen, og jeg ved ikke hvornår det bliver.",
    ("no", "da", "en"): "Vi har bestemt å flytte datoen, og jeg vet ikke når det blir noe.",
    ("fi", "en"): "Me olemme päättäneet siirtää päivää, koska toimittaja ei voi toimittaa sitä.",
    ("hu", "en"): "Úgy döntöttünk, hogy elhalasztjuk a határidőt, mert a szállító nem tud szállítani.",
    ("tr", "en"): "Tedarikçi teslim edemediği için tarihi değiştirmeye karar verdik ve bu çok iyi bir şey.",
    ("pl", "en"): "Przesunęliśmy termin, ponieważ dostawca nie może się z tym wyrobić i nie jest gotowy.",
    ("ru",): "Мы решили перенести срок, потому что поставщик не может.",
    ("el",): "Αποφασίσαμε να αλλάξουμε την ημερομηνία.",
    ("hi",): "हमने तारीख बदलने का फैसला किया।",
    ("ar",): "قررنا تأجيل الموعد لأن المورد لا يستطيع التسليم في الوقت.",
    ("fa", "ar"): "ما تصمیم گرفتیم که تاریخ را تغییر دهیم چون این از آن بهتر است.",
    ("he",): "החלטנו לדחות את המועד כי הספק לא יכול.",
    ("zh",): "我们决定推迟日期，因为供应商不能交货。",
    ("ja",): "私たちは日付を延期することを決めました。",
    ("ko",): "우리는 날짜를 연기하기로 결정했습니다.",
    ("th",): "เราตัดสินใจเลื่อนวัน",
    ("zh", "en"): "我们决定推迟日期，因为供应商不能交货，所以先用 Postgres。",
}


@pytest.mark.parametrize(("languages", "text"), SAMPLES.items())
def test_a_language_is_told_from_a_sentence(languages: tuple[str, ...], text: str) -> None:
    assert detect_languages([text]) == languages


def sample(code: str) -> str:
    return next(text for languages, text in SAMPLES.items() if languages[0] == code)


def test_the_most_frequent_come_first_and_three_at_most() -> None:
    german, french, chinese = map(sample, ("de", "fr", "zh"))
    assert detect_languages([german] * 9 + [french] * 3 + [chinese] * 20) == ("zh", "de", "en")


@pytest.mark.parametrize("texts", [[], [""], ["🎉 42"], ["OK"]])
def test_a_sample_without_words_is_english(texts: list[str]) -> None:
    assert detect_languages(texts) == ("en",)


def test_a_long_sample_is_read_only_as_far_as_needed() -> None:
    endless = repeat(sample("de"))
    assert detect_languages(endless) == ("de", "en")


def test_every_language_with_rivals_in_its_script_has_stop_words() -> None:
    rivals = {"latin", "arabic"}
    assert [
        code for code, each in LANGUAGES.items() if each.script in rivals and not stop_words([code])
    ] == []


def test_threads_read_alike() -> None:
    texts = [f"{text} {number}" for number in range(40) for text in SAMPLES.values()]
    languages = ("en", "de", "ru")
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda text: analyse(text, languages=languages), texts))
    assert together == [analyse(text, languages=languages) for text in texts]
