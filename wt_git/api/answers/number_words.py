"""Numbers that are written in words, in the languages that have a table here.

Libraries were tried: num2words and unicode-rbnf write such words, and do not read them in a text;
both take longer to load than a scenario to score. text2num knows half of the languages.
"""

# ruff: noqa: RUF001, ISC004 - other scripts have letters that look like Latin ones

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from wt_git.api.answers.facts import continues_word, is_spaceless
from wt_git.api.answers.normalise import normalised
from wt_git.api.answers.number_tables import COUNTERS

if TYPE_CHECKING:
    from collections.abc import Iterator

# One character is a number where a counting word follows: in most places it is part of a word.
_COUNTERS: Final = frozenset(COUNTERS)
_HUNDRED: Final = 100
_THOUSAND: Final = 1000


class Spelled(NamedTuple):
    """A number in words, and its place."""

    value: int
    start: int
    end: int


# The words of 0, 1, 2 and so on, alternatives joined with a slash; then tens and multipliers.
_WORDS: Final[dict[str, tuple[str, dict[int, str]]]] = {
    "en": (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen",
        {20: "twenty", 30: "thirty", 40: "forty", 50: "fifty", 60: "sixty", 70: "seventy", 80: "eighty",
         90: "ninety", 100: "hundred", 1000: "thousand", 10**6: "million"},
    ),
    "de": (
        "null ein/eins/eine/einen zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn "
        "sechzehn siebzehn achtzehn neunzehn",
        {20: "zwanzig", 30: "dreißig", 40: "vierzig", 50: "fünfzig", 60: "sechzig", 70: "siebzig", 80: "achtzig",
         90: "neunzig", 100: "hundert", 1000: "tausend", 10**6: "million/millionen"},
    ),
    "fr": (
        "zéro un/une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept "
        "dix-huit dix-neuf",
        {20: "vingt", 30: "trente", 40: "quarante", 50: "cinquante", 60: "soixante", 70: "septante",
         80: "quatre-vingt/quatre-vingts/huitante", 90: "nonante", 100: "cent/cents", 1000: "mille", 10**6: "million/millions"},
    ),
    "es": (
        "cero un/uno/una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
        "diecisiete dieciocho diecinueve veinte veintiuno/veintiún/veintiuna veintidós veintitrés veinticuatro veinticinco "
        "veintiséis veintisiete veintiocho veintinueve",
        {30: "treinta", 40: "cuarenta", 50: "cincuenta", 60: "sesenta", 70: "setenta", 80: "ochenta", 90: "noventa",
         100: "cien/ciento", 200: "doscientos/doscientas", 300: "trescientos/trescientas", 400: "cuatrocientos/cuatrocientas",
         500: "quinientos/quinientas", 600: "seiscientos/seiscientas", 700: "setecientos/setecientas",
         800: "ochocientos/ochocientas", 900: "novecientos/novecientas", 1000: "mil", 10**6: "millón/millones"},
    ),
    "it": (
        "zero un/uno/una due tre/tré quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici "
        "diciassette diciotto diciannove",
        {20: "venti/vent", 30: "trenta/trent", 40: "quaranta/quarant", 50: "cinquanta/cinquant", 60: "sessanta/sessant",
         70: "settanta/settant", 80: "ottanta/ottant", 90: "novanta/novant", 100: "cento", 1000: "mille/mila",
         10**6: "milione/milioni"},
    ),
    "pt": (
        "zero um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze treze catorze/quatorze quinze "
        "dezesseis/dezasseis dezessete/dezassete dezoito dezenove/dezanove",
        {20: "vinte", 30: "trinta", 40: "quarenta", 50: "cinquenta", 60: "sessenta", 70: "setenta", 80: "oitenta",
         90: "noventa", 100: "cem/cento", 200: "duzentos/duzentas", 300: "trezentos/trezentas",
         400: "quatrocentos/quatrocentas", 500: "quinhentos/quinhentas", 600: "seiscentos/seiscentas",
         700: "setecentos/setecentas", 800: "oitocentos/oitocentas", 900: "novecentos/novecentas", 1000: "mil",
         10**6: "milhão/milhões"},
    ),
    "nl": (
        "nul een/één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien "
        "achttien negentien",
        {20: "twintig", 30: "dertig", 40: "veertig", 50: "vijftig", 60: "zestig", 70: "zeventig", 80: "tachtig",
         90: "negentig", 100: "honderd", 1000: "duizend", 10**6: "miljoen"},
    ),
    "pl": (
        "zero jeden/jedno/jedna/jedną dwa/dwie/dwóch trzy/trzech cztery/czterech pięć/pięciu sześć/sześciu siedem/siedmiu "
        "osiem/ośmiu dziewięć/dziewięciu dziesięć/dziesięciu jedenaście dwanaście trzynaście czternaście piętnaście szesnaście "
        "siedemnaście osiemnaście dziewiętnaście",
        {20: "dwadzieścia/dwudziestu", 30: "trzydzieści/trzydziestu", 40: "czterdzieści/czterdziestu",
         50: "pięćdziesiąt/pięćdziesięciu", 60: "sześćdziesiąt/sześćdziesięciu", 70: "siedemdziesiąt/siedemdziesięciu",
         80: "osiemdziesiąt/osiemdziesięciu", 90: "dziewięćdziesiąt/dziewięćdziesięciu", 100: "sto/stu", 200: "dwieście",
         300: "trzysta", 400: "czterysta", 500: "pięćset", 600: "sześćset", 700: "siedemset", 800: "osiemset",
         900: "dziewięćset", 1000: "tysiąc/tysiące/tysięcy", 10**6: "milion/miliony/milionów"},
    ),
    "ru": (
        "ноль один/одна/одно/одну два/две/двух три/трёх/трех четыре/четырёх/четырех пять/пяти шесть/шести семь/семи восемь/восьми "
        "девять/девяти десять/десяти одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать "
        "восемнадцать девятнадцать",
        {20: "двадцать/двадцати", 30: "тридцать/тридцати", 40: "сорок/сорока", 50: "пятьдесят/пятидесяти",
         60: "шестьдесят/шестидесяти", 70: "семьдесят/семидесяти", 80: "восемьдесят/восьмидесяти", 90: "девяносто",
         100: "сто/ста", 200: "двести", 300: "триста", 400: "четыреста", 500: "пятьсот", 600: "шестьсот",
         700: "семьсот", 800: "восемьсот", 900: "девятьсот", 1000: "тысяча/тысячи/тысяч/тысячу",
         10**6: "миллион/миллиона/миллионов"},
    ),
    "tr": (
        "sıfır bir iki üç dört beş altı yedi sekiz dokuz on",
        {20: "yirmi", 30: "otuz", 40: "kırk", 50: "elli", 60: "altmış", 70: "yetmiş", 80: "seksen", 90: "doksan",
         100: "yüz", 1000: "bin", 10**6: "milyon"},
    ),
    "zh": (
        "零/〇 一/壹 二/两/兩/贰 三/叁 四/肆 五/伍 六/陆 七/柒 八/捌 九/玖 十/拾",
        {100: "百/佰", 1000: "千/仟", 10_000: "万/萬", 10**8: "亿/億"},
    ),
    "ko": (
        "영/공 일/하나/한 이/둘/두 삼/셋/세 사/넷/네 오/다섯 육/여섯 칠/일곱 팔/여덟 구/아홉 십/열",
        {20: "스물/스무", 30: "서른", 40: "마흔", 50: "쉰", 60: "예순", 70: "일흔", 80: "여든", 90: "아흔",
         100: "백", 1000: "천", 10_000: "만"},
    ),
    "ar": (
        "صفر واحد/واحدة/أحد/إحدى اثنان/اثنين/اثنتان ثلاثة/ثلاث أربعة/أربع خمسة/خمس ستة/ست سبعة/سبع ثمانية/ثماني تسعة/تسع عشرة/عشر",
        {20: "عشرون/عشرين", 30: "ثلاثون/ثلاثين", 40: "أربعون/أربعين", 50: "خمسون/خمسين", 60: "ستون/ستين",
         70: "سبعون/سبعين", 80: "ثمانون/ثمانين", 90: "تسعون/تسعين", 100: "مئة/مائة", 200: "مئتان/مئتين/مائتان/مائتين",
         1000: "ألف/آلاف", 10**6: "مليون"},
    ),
    "hi": (
        "शून्य एक दो तीन चार पाँच/पांच छह/छः सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह/पन्द्रह सोलह सत्रह अठारह उन्नीस बीस इक्कीस बाईस तेईस "
        "चौबीस पच्चीस छब्बीस सत्ताईस अट्ठाईस उनतीस तीस इकतीस बत्तीस तैंतीस चौंतीस पैंतीस छत्तीस सैंतीस अड़तीस उनतालीस चालीस इकतालीस बयालीस "
        "तैंतालीस चौवालीस पैंतालीस छियालीस सैंतालीस अड़तालीस उनचास पचास इक्यावन बावन तिरेपन चौवन पचपन छप्पन सत्तावन अट्ठावन उनसठ साठ "
        "इकसठ बासठ तिरेसठ चौंसठ पैंसठ छियासठ सड़सठ अड़सठ उनहत्तर सत्तर इकहत्तर बहत्तर तिहत्तर चौहत्तर पचहत्तर छिहत्तर सतहत्तर अठहत्तर "
        "उनासी/उन्यासी अस्सी इक्यासी बयासी तिरासी चौरासी पचासी छियासी सत्तासी अट्ठासी नवासी नब्बे इक्यानवे/इक्यानबे बानवे/बानबे तिरानवे/तिरानबे चौरानवे/चौरानबे पंचानवे/पंचानबे "
        "छियानवे/छियानबे सत्तानवे/सत्तानबे अट्ठानवे/अट्ठानबे निन्यानवे/निन्यानबे",
        {100: "सौ", 1000: "हज़ार/हजार", 10**5: "लाख", 10**7: "करोड़"},
    ),
    "th": (
        "ศูนย์ หนึ่ง/เอ็ด สอง/ยี่ สาม สี่ ห้า หก เจ็ด แปด เก้า สิบ",
        {100: "ร้อย", 1000: "พัน", 10_000: "หมื่น", 10**5: "แสน", 10**6: "ล้าน"},
    ),
}  # fmt: skip
_SAME_AS: Final = {"ja": "zh"}

# What joins the words of one number.
_JOINS: Final = {
    "en": r"[ -]+(?:and )?",
    "de": r"[ -]*(?:und)?[ -]*",
    "fr": r"[ -]+(?:et[ -]+)?",
    "es": r" +(?:y )?",
    "it": r" *(?:e )?",
    "pt": r" +(?:e )?",
    "nl": r"[ -]*(?:en|ën)?[ -]*",
    "tr": r" *",
    "ko": r"(?:(?<=[만억]) )?",
    "ar": r" +و ?|(?: )",
}
# An article or a pronoun in most languages: it is a number only where it counts something.
AMBIGUOUS: Final = 1


class _Language(NamedTuple):
    pattern: re.Pattern[str]
    word: re.Pattern[str]
    values: dict[str, int]
    ten_multiplies: bool


@lru_cache
def _language(code: str) -> _Language | None:
    listed = _WORDS.get(_SAME_AS.get(code, code))
    if listed is None:
        return None
    low, high = listed
    values = {
        normalised(form): value
        for value, forms in [*enumerate(low.split()), *high.items()]
        for form in forms.split("/")
    }
    one = "|".join(map(re.escape, sorted(values, key=len, reverse=True)))
    spaceless = is_spaceless(next(iter(values))[0])
    join = _JOINS.get(code, "" if spaceless else " +")
    begin = "" if spaceless else r"(?<!\w)"
    whole = re.compile(f"{begin}(?:{one})(?:(?:{join})(?:{one}))*")
    return _Language(whole, re.compile(one), values, ten_multiplies=spaceless)


def spelled_numbers(text: str, code: str) -> Iterator[Spelled]:
    """Yield the numbers in words in a `normalised` text of the language with this code."""
    language = _language(code)
    if language is None:
        return
    for found in language.pattern.finditer(text):
        start, end = found.span()
        if continues_word(text[start - 1 : start]) or continues_word(text[end : end + 1]):
            continue
        if end - start == 1 and is_spaceless(text[start]) and text[end : end + 1] not in _COUNTERS:
            continue
        words = [language.values[word] for word in language.word.findall(found.group())]
        yield Spelled(_total(words, 10 if language.ten_multiplies else _HUNDRED), start, end)


def _total(words: list[int], least_multiplier: int) -> int:
    """Return the value of the words of one number: `two hundred five` is 2 * 100 + 5."""
    total = group = 0
    for word in words:
        if word >= _THOUSAND and str(word).strip("0") == "1":
            total, group = total + max(group, 1) * word, 0
        elif word == _HUNDRED or (word == least_multiplier and group % word > 0):
            lower = group % word
            group += max(lower, 1) * word - lower
        else:
            group += word
    return total + group
