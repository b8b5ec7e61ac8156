"""A verdict follows what a sentence says, in any script and typography, and flips with its polarity.

The suite draws 1 in 100 of all cases, `-m thorough` 1 in 10, and `-m exhaustive` goes through all.
"""

# ruff: noqa: RUF001 - sentences in other scripts

from __future__ import annotations

from itertools import product
from typing import NamedTuple
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wt_git.api.answers.answer import Answer
from wt_git.api.scenario import NumberFact

# Sentences that assert and that deny, by language; `#` is the place of the fact.
SENTENCES = {
    "en": (
        ["The answer is #.", "We found #.", "It is not silver but #.", "No problem: it is #.",
         "It is #, not silver.", "I don't see silver; it's #."],
        ["The answer is not #.", "We did not find #.", "It isn't #.", "It is silver, not #.",
         "I can't confirm that it is #.", "It is silver instead of #."],
    ),
    "de": (
        ["Die Antwort ist #.", "Es ist nicht Silber, sondern #.", "Wir haben ohne Probleme # gefunden."],
        ["Die Antwort ist nicht #.", "Es ist nicht #, sondern Silber.", "Wir haben nie # gefunden."],
    ),
    "fr": (
        ["La réponse est #.", "Ce n'est pas l'argent mais #.", "Nous avons trouvé # sans problème."],
        ["La réponse n'est pas #.", "Ce n'est pas # mais l'argent.", "Nous n'avons jamais trouvé #."],
    ),
    "es": (
        ["La respuesta es #.", "No es plata sino #.", "Sin problemas, el resultado es #."],
        ["La respuesta no es #.", "No es # sino plata.", "Nunca hay #, el cliente tiene plata."],
    ),
    "it": (
        ["La risposta è #.", "Non è argento ma #.", "Senza problemi il risultato è #."],
        ["La risposta non è #.", "Non è # ma argento.", "Il risultato non è mai #."],
    ),
    "pt": (
        ["A resposta é #.", "Não é prata, mas #.", "Sem problemas, o resultado é #."],
        ["A resposta não é #.", "Não é #, mas prata.", "O resultado nunca é #."],
    ),
    "nl": (
        ["Het antwoord is #.", "Het is niet zilver maar #.", "We hebben # zonder problemen gevonden."],
        ["Het antwoord is niet #.", "Het is niet # maar zilver.", "We hebben nooit # gevonden."],
    ),
    "pl": (
        ["Odpowiedź to jest #.", "To nie jest srebro, ale #.", "Bez problemów: wynik to jest #."],
        ["Odpowiedź to nie jest #.", "To nie jest #, ale srebro.", "Wynik to nigdy nie jest #."],
    ),
    "ru": (
        ["Ответ: #.", "Это не серебро, а #.", "Мы нашли # без проблем."],
        ["Это не #.", "Это не #, а серебро.", "Мы никогда не видели #."],
    ),
    "tr": (
        ["Cevap şu anda #.", "Cevap gümüş değil, #.", "Bu müşteri için sonuç #."],
        ["Cevap # değil.", "Sonuç # değil, gümüş.", "Bu müşteri için # yok."],
    ),
    "zh": (
        ["答案是#。", "不是银，而是#。", "没有问题，结果是#。"],
        ["答案不是#。", "不是#，而是银。", "系统中没有#。"],
    ),
    "ja": (
        ["答えは#です。", "銀ではなく#です。", "問題なく#になりました。"],
        ["答えは#ではありません。", "#ではなく銀です。", "#はありません。"],
    ),
    "ko": (
        ["답은 #입니다.", "은이 아니라 #입니다.", "문제없이 #입니다."],
        ["답은 # 아닙니다.", "# 아니라 은입니다.", "# 없습니다."],
    ),
    "ar": (
        ["الجواب هو # اليوم.", "ليس فضة بل #.", "النتيجة هي # بدون مشاكل."],
        ["الجواب ليس #.", "ليس # بل فضة.", "لا يوجد # هنا."],
    ),
    "hi": (
        ["उत्तर # है।", "चाँदी नहीं बल्कि # है।", "परिणाम आज # है।"],
        ["उत्तर # नहीं है।", "# नहीं बल्कि चाँदी है।", "परिणाम # नहीं है।"],
    ),
    "th": (
        ["คำตอบคือ #", "ไม่ใช่เงิน แต่เป็น #", "ผลลัพธ์คือ # โดยไม่มีปัญหา"],
        ["คำตอบไม่ใช่ #", "ไม่ใช่ # แต่เป็นเงิน", "ในระบบไม่มี #"],
    ),
}  # fmt: skip
NAMES = (
    "Lowell Spinners",
    "ACC-LSPN-001",
    "client_lookup",
    "café",
    "Ürün",
    "заказ",
    "ゴールド",
    "金牌会员",
)
NUMBERS = (7, 75, 1234)
ZEROS = {
    "ascii": "0",
    "full width": "\uff10",
    "arabic": "\u0660",
    "hindi": "\u0966",
    "thai": "\u0e50",
}
TYPOGRAPHY = {
    "plain": lambda text, fact: text.replace("#", fact),
    "no-break spaces": lambda text, fact: text.replace("#", fact).replace(" ", "\u00a0"),
    "narrow spaces": lambda text, fact: text.replace("#", fact).replace(" ", "\u202f"),
    "double spaces": lambda text, fact: text.replace("#", fact).replace(" ", "  "),
    "a line break": lambda text, fact: text.replace("#", fact.replace(" ", "\n")),
    "apostrophes": lambda text, fact: text.replace("#", fact).replace("'", "\u2019"),
    "hyphens": lambda text, fact: text.replace("#", fact.replace("-", "\u2011")),
    "decomposed": lambda text, fact: normalize("NFD", text.replace("#", fact)),
    "stars": lambda text, fact: text.replace("#", f"**{fact}**"),
    "underscores": lambda text, fact: text.replace("#", f"_{fact}_"),
    "code": lambda text, fact: text.replace("#", f"`{fact}`"),
    "upper case": lambda text, fact: text.replace("#", fact.upper()),
    "a soft hyphen": lambda text, fact: text.replace("#", f"{fact[:1]}\u00ad{fact[1:]}"),
}


class Case(NamedTuple):
    language: str
    asserts: bool
    sentence: int
    fact: str | int
    digits: str
    typography: str

    def text(self):
        sentences = SENTENCES[self.language][not self.asserts]
        fact = str(self.fact)
        zero = ord(ZEROS[self.digits])
        fact = fact.translate({ord("0") + n: zero + n for n in range(10)})
        return TYPOGRAPHY[self.typography](sentences[self.sentence % len(sentences)], fact)

    def problem(self):
        """What the scoring says of the text where it differs from what the sentence says."""
        answer = Answer(self.text())
        if isinstance(self.fact, int):
            found = answer.find_number(NumberFact(self.fact))
        else:
            found = answer.find_fact([self.fact])
        forbidden = answer.asserts(str(self.fact))
        if found.stated and found.asserted is self.asserts and forbidden is self.asserts:
            return None
        return f"{self}: {self.text()!r}: {found}, forbidden: {forbidden}"


def every_case():
    # A name has no digits to write in another script, where it is not a code.
    facts = [(name, "ascii") for name in NAMES] + list(product((*NUMBERS, "ACC-LSPN-001"), ZEROS))
    for language, (fact, digits), typography in product(
        SENTENCES, dict.fromkeys(facts), TYPOGRAPHY
    ):
        for asserts in (True, False):
            for sentence in range(len(SENTENCES[language][not asserts])):
                yield Case(language, asserts, sentence, fact, digits, typography)


CASES = tuple(every_case())
cases = st.sampled_from(CASES)


@settings(max_examples=len(CASES) // 100)
@given(cases)
def test_a_verdict_follows_the_sentence(case):
    """One in a hundred of all cases."""
    assert case.problem() is None


@pytest.mark.thorough
@settings(max_examples=len(CASES) // 10)
@given(cases)
def test_a_verdict_follows_the_sentence_thoroughly(case):
    """One in ten of all cases."""
    assert case.problem() is None


@pytest.mark.exhaustive
def test_a_verdict_follows_the_sentence_in_every_case():
    """All cases."""
    problems = [problem for case in CASES if (problem := case.problem()) is not None]
    print(f"{len(CASES)} cases, {len(problems)} problems")
    assert not problems, "\n".join(problems[:100])
