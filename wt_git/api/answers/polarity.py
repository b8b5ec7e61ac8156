"""Whether a text asserts what it mentions: one reading for wanted and forbidden facts.

The clause around a mention is read: denials in front of it with their scope, denials of the predicate
behind it, double denials, contrasts, guesses, questions, conditions and other times. The words are in
`languages`. Texts here are `normalised`.
"""

# ruff: noqa: PLR2004, RUF001 - distances in words; other scripts have letters like Latin ones

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from functools import lru_cache
from itertools import chain, groupby
from typing import TYPE_CHECKING, NamedTuple

from wt_git.api.answers.facts import Reading, is_spaceless
from wt_git.api.answers.languages import LANGUAGES
from wt_git.api.answers.normalise import SAME_LETTERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wt_git.api.answers.facts import Span
    from wt_git.api.answers.languages import Words

_SENTENCE_END = re.compile(r"[.!?](?=[\s\"')\]]|$)|[。！？!?]|\n")
_SCRIPTS = (
    ("ja", r"[\u3040-\u30ff]"),
    ("ko", r"[\uac00-\ud7af]"),
    ("zh", r"[\u4e00-\u9fff]"),
    ("ar", r"[\u0600-\u06ff]"),
    ("hi", r"[\u0900-\u097f]"),
    ("th", r"[\u0e00-\u0e7f]"),
    ("ru", r"[\u0400-\u04ff]"),
)
_LATIN = re.compile(r"[a-z\u00df-\u024f]")
_TELLING_LETTERS = {
    letter: (code, code)
    for code, letters in {
        "tr": "ğş", "pl": "łąężśćń", "es": "ñ¿¡", "pt": "ãõ", "de": "äß", "fr": "œêù", "it": "ìò",
    }.items()
    for letter in letters
}  # fmt: skip
_LETTERS_OF_A_SYLLABLE = 2
_NO_LETTERS = str.maketrans(dict.fromkeys('.,;:!?¿¡()[]"«»-—/|', " "))
_READ_FOR_LANGUAGE, _LONG = 400, 200


def language_of(text: str) -> str:
    """Return the code of the language that most of `text` is in; English where nothing tells."""
    text = text[:_READ_FOR_LANGUAGE]
    if not text.isascii():
        written = {code: len(re.findall(script, text)) for code, script in _SCRIPTS}
        code = max(written, key=lambda one: written[one])
        # A character of these scripts is most of a syllable, or a word.
        if written[code] * _LETTERS_OF_A_SYLLABLE > len(_LATIN.findall(text)):
            return "ja" if code == "zh" and written["ja"] else code
    known = _languages_of_words()
    # In a long text, the words without a mark beside them are enough.
    plain = text if len(text) > _LONG else text.translate(_NO_LETTERS)
    words = known.keys() & set(plain.split())
    letters = _TELLING_LETTERS.keys() & set(text)
    scores = Counter(chain.from_iterable(map(known.__getitem__, words)))
    scores.update(chain.from_iterable(map(_TELLING_LETTERS.__getitem__, letters)))
    most = max(scores.values(), default=0)
    return next(code for code in LANGUAGES if scores.get(code, 0) == most)


@lru_cache(maxsize=1)
def _languages_of_words() -> dict[str, tuple[str, ...]]:
    """Return the languages of words that tell them apart: common ones, and those of polarity."""
    languages: dict[str, tuple[str, ...]] = {}
    for code, words in LANGUAGES.items():
        for word in set(_plain_words(words)) if words.common else ():
            languages[word] = (*languages.get(word, ()), code)
    return languages


def _plain_words(words: Words) -> Iterator[str]:
    yield from words.common.translate(SAME_LETTERS).split()
    for listed in (words.deny, words.unsure, words.then, words.now, words.cut):
        without_groups = _GROUP.sub("", _GROUP.sub("", listed.translate(SAME_LETTERS)))
        yield from filter(str.isalpha, without_groups.split("|"))


_GROUP = re.compile(r"\w*\([^()]*\)")


class _Patterns:
    """The compiled words of one language, by the names of their fields."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self._compiled: dict[str, re.Pattern[str]] = {}
        self._compiled_together: dict[tuple[str, ...], re.Pattern[str]] = {}

    def __getitem__(self, name: str) -> re.Pattern[str]:
        if name not in self._compiled:
            self._compiled[name] = _whole_words(getattr(self.words, name))
        return self._compiled[name]

    def any_of(self, names: tuple[str, ...]) -> re.Pattern[str]:
        """Return a pattern for any word of several fields."""
        if names not in self._compiled_together:
            listed = [getattr(self.words, name) for name in names]
            self._compiled_together[names] = _whole_words("|".join(filter(None, listed)))
        return self._compiled_together[names]


_NEVER = re.compile(r"(?!)")


@lru_cache
def _patterns(code: str) -> _Patterns:
    return _Patterns(LANGUAGES[code])


def _whole_words(alternatives: str) -> re.Pattern[str]:
    """Return a pattern of whole words; `n't` ends one, an apostrophe elides the next."""
    if not alternatives:
        return _NEVER
    alternatives = alternatives.translate(SAME_LETTERS)
    if any(is_spaceless(one) for one in alternatives):
        return re.compile(f"(?:{alternatives})")
    return re.compile(rf"(?:(?<!\w)|(?=n't))(?:{alternatives})(?:(?!\w)|(?<='))")


_REACH = 300
_MARKS = re.compile(r"[,;—()|]|:(?!\d)| - |(?<=\d)\.(?= )")
_COMMA_IN_NUMBER = re.compile(r"[0-9],[0-9]")
_CLOSED = re.compile(r"\([^()]*\)")
_INTERJECTED = re.compile(r"(?<=\bnot|n't)(?:, [^,;.]{1,40},)|(?<=never|nicht)(?:, [^,;.]{1,40},)")
_OR = re.compile(
    r"(?<!\w)(?:or|nor|oder|noch|ou|ni|né|nem|of|lub|ani|или|ни|veya|ولا|या)(?!\w)|或|또는|หรือ"
)
_CONTINUES_DENIAL = frozenset(("nor", "ni", "né", "nem", "noch", "ani", "ни", "ولا"))
_WITHOUT = frozenset(
    (
        "without",
        "sin",
        "sem",
        "senza",
        "sans",
        "ohne",
        "zonder",
        "bez",
        "без",
        "بدون",
        "دون",
        "بلا",
        "बिना",
    )
)
_PREPOSITIONS = _WITHOUT | {
    "except",
    "except for",
    "instead of",
    "rather than",
    "außer",
    "sauf",
    "excepto",
}
_KNOWING = re.compile(
    r"\W*(?:\w+ ){0,2}?(?:confirm|verif|guarant|promise|tell|say\b|know|certain|bestätig|garant|bevestig|potwierdz|"
    r"подтверд|gewährleist|savoir|sais|weiß|сказать|确认|保证|تاكيد|पुष्टि|ยืนยัน)"
)
_BESIDE = re.compile(
    r"(?<!\w)(?:and|with|without|despite|before|after|although|until|und|mit|ohne|et|avec|sans|con|sin|y|e|com|sem|senza|en|met|zonder|i|z|bez|и|с|без|ve)(?!\w)"
)
_NEW_SUBJECT = re.compile(
    r"\s*(?:it|they|there|we|you|i|he|she|this|all|everything|the|your|our|es|sie|er|wir|ihr|ihre|il|elle|ils|nous|vous|la|le|les|el|su|"
    r"fue|foi|ha|has|was|is|ist|wurde|è|zostało|jest|lo|il|o|a|het|de|ze|on|ona|to|он|она|оно|они|это)(?!\w)"
)
_IN_APPOSITION = re.compile(r", (?:is|are|was|were) ")
# Thai has spaces between clauses, not between words.
_AFTER_THAI = re.compile(r"(?<=[\u0e00-\u0e7f]) ")
_COPULA = re.compile(
    r"(?<!\w)(?:is|are|was|were|ist|sind|waren?|est|sont|es|son|è|sono|é|são|zijn|jest|są)(?!\w)|isn't|aren't"
)
_LABELLED = re.compile(
    r"\s*(?:[:=|]|->|→)\s*(?:no|not (?:\w+)|false|none|never|nein|non|nee|nie|não|hayir|нет|否|没有|いいえ|なし|아니요|없음|لا|नहीं|ไม่|ไม่มี|unknown|"
    r"n/a|[❌✗✘×])\s*(?:$|[.,;|\n(])"
)
_CROSSED = re.compile(r"[❌✗✘🚫]|\[ \]")
_BULLET = re.compile(r"[ \t]*(?:[-+•*]|[0-9]{1,3}[.)])[ \t]")
_NEAR_WORDS = re.compile(r"\s*(?:\S+\s+)?\Z")


class _Clause(NamedTuple):
    """A mention in its sentence: the clause before and after it, and all around that clause."""

    before: str
    after: str
    around: str
    sentence_before: str
    mark: str
    following: str
    following_clause: str


def read(text: str, span: Span, code: str, *, is_number: bool = False) -> Reading:
    """Return how `text` reads at `span` in the language with this code.

    A number is denied by a clause that says that it is another one, not by one that says something
    of the things that it counts.
    """
    patterns = _patterns(code)
    first, last = _sentence(text, span)
    if _may_be_denied(text, span, (first, last), patterns, is_number=is_number):
        clause = _clause(text, span, (first, last), patterns)
        if _is_denied(text, span, clause, patterns, is_number=is_number):
            return Reading.DENIED
        if _is_unsure(clause, patterns):
            return Reading.UNSURE
    if is_number and _is_bound(text, span, patterns):
        return Reading.UNSURE
    return Reading.ASSERTED


def _sentence(text: str, span: Span) -> tuple[int, int]:
    """Return the beginning and the end of the sentence of a mention."""
    first = max(span.start - _REACH, 0)
    for end in _SENTENCE_END.finditer(text, first, span.start):
        first = end.end()
    furthest = min(span.end + _REACH, len(text))
    stop = _SENTENCE_END.search(text, span.end, furthest)
    return first, furthest if stop is None else stop.start()


def _may_be_denied(
    text: str, span: Span, sentence: tuple[int, int], patterns: _Patterns, *, is_number: bool
) -> bool:
    """Say whether anything in a sentence could take its assertion away; in most sentences, nothing does."""
    first, last = sentence
    was = ("was",) if is_number else ()
    return (
        patterns.any_of(_DOUBTFUL_BEFORE + was).search(text, first, span.start) is not None
        or patterns.any_of(_DOUBTFUL_AFTER + was).search(text, span.end, last) is not None
        or text[last : last + 1] in _QUESTION_MARKS
        or "~~" in text
        or _CROSSED.search(text, first, span.start) is not None
        or _LABELLED.match(text, span.end) is not None
        or _BULLET.match(text, text.rfind("\n", 0, span.start) + 1) is not None
    )


_QUESTION_MARKS = ("?", "？")
_DOUBTFUL_BEFORE = ("deny", "near", "unsure", "given", "then")
_DOUBTFUL_AFTER = ("after", "unsure", "asked_after", "then")


def _is_denied(
    text: str, span: Span, clause: _Clause, patterns: _Patterns, *, is_number: bool
) -> bool:
    if text.count("~~", 0, span.start) % 2 or _CROSSED.search(clause.before):
        return True
    if _LABELLED.match(clause.after) or _is_asked(clause, patterns):
        return True
    denials = _denials_before(clause.before, patterns) + _denials_in_header(text, span, patterns)
    denials += _is_denied_after(clause.after, patterns, is_number=is_number)
    return denials % 2 == 1 or _is_of_another_time(clause, patterns, is_number=is_number)


def _clause(text: str, span: Span, sentence: tuple[int, int], patterns: _Patterns) -> _Clause:
    first, last = sentence
    before, after = text[first : span.start], text[span.end : last]
    near = _clause_before(before, after, patterns)
    if before.endswith(", ") and _IN_APPOSITION.match(after):
        after = after[1:]
    far = _clause_after(after, patterns)
    around = (
        text[max(first - 150, 0) : span.start - len(near)]
        + "\n"
        + text[span.end + len(far) : last + 150]
    )
    mark = text[last : last + 1]
    following = text[last + len(mark) : last + 60].lstrip()
    next_clause = text[span.end + len(far) : span.end + len(far) + 60].lstrip(" ,;.—-\n")
    return _Clause(near, far, around, before, mark, following, next_clause)


def _blanked(text: str, pattern: re.Pattern[str]) -> str:
    return pattern.sub(lambda found: " " * len(found.group()), text)


def _clause_before(before: str, after: str, patterns: _Patterns) -> str:
    """Return the end of `before` that is in the clause of the mention, as long as it was."""
    plain = _blanked(_blanked(before, _INTERJECTED), _CLOSED)
    cuts = [found.end() for found in patterns["cut"].finditer(plain)]
    start = max(cuts, default=0)
    for mark in reversed(list(_MARKS.finditer(plain, start))):
        if _cuts(mark, plain, after, patterns):
            start = mark.end()
            break
    return plain[start:]


def _cuts(mark: re.Match[str], before: str, after: str, patterns: _Patterns) -> bool:
    """Say whether a mark in front of a mention ends an earlier clause."""
    rest = before[mark.end() :]
    if mark.group() == ",":
        if _COMMA_IN_NUMBER.match(before, mark.start() - 1) or patterns["that"].match(
            rest.lstrip()
        ):
            return False
        is_item = len(rest.split()) <= 3 and (
            _OR.search(rest) or _OR.search(after.partition(".")[0][:40])
        )
        return not is_item
    if mark.group() == ":":
        if _NEW_SUBJECT.match(rest):
            return True
        head = before[: mark.start()].lstrip()
        denial = patterns["deny"].search(head)
        opens_list = denial is not None and denial.start() <= 12 and len(head.split()) in {2, 3, 4}
        return not (opens_list and denial and denial.group() not in _PREPOSITIONS)
    return mark.group() not in {")", "|"}


def _clause_after(after: str, patterns: _Patterns) -> str:
    """Return the beginning of `after` that is in the clause of the mention."""
    end = len(after)
    for found in _MARKS.finditer(after):
        is_number = found.group() == "," and _COMMA_IN_NUMBER.match(
            after, max(found.start() - 1, 0)
        )
        if found.group() not in {":", "|"} and not is_number:
            end = found.start()
            break
    space = _AFTER_THAI.search(after, 0, end)
    if space is not None:
        end = space.start()
    cut = patterns["cut"].search(after, 0, end)
    if cut is None:
        return after[:end]
    # A word such as Japanese `not but` both denies and begins the next clause.
    return after[: cut.end() if patterns["after"].search(cut.group()) else cut.start()]


def _denials_before(clause: str, patterns: _Patterns) -> int:
    """Return how often the text in front of a mention turns its sense."""
    plain = _blanked(clause, patterns["idioms"])
    found = list(patterns["deny"].finditer(plain))
    if any(one.group() not in _WITHOUT and _KNOWING.match(plain, one.end()) for one in found):
        return 1
    if _UNTIL.search(plain) and found:
        found.pop()
    total = sum(_denials_in_scope(scope, patterns) for scope in _by_scope(found, plain, patterns))
    close = patterns["near"].search(plain)
    if close is not None and not total and _NEAR_WORDS.match(plain, close.end()):
        total += 1
    return total


# `not until June` asserts June.
_UNTIL = re.compile(
    r"(?<!\w)(?:until|till|before|bis|vor dem|avant|hasta|antes del?|fino al?|prima del?|até|tot|voor|przed|до|раньше)\s+(?:\S+\s+)?\Z"
)


def _by_scope(found: list[re.Match[str]], text: str, patterns: _Patterns) -> Iterator[list[str]]:
    """Yield the denials of a clause by the parts that conjunctions such as `that` separate."""
    starts = [one.start() for one in patterns["that"].finditer(text)] if found else []
    for _, scope in groupby(found, key=lambda one: bisect_right(starts, one.start())):
        yield [one.group() for one in scope]


def _denials_in_scope(words: list[str], patterns: _Patterns) -> int:
    """Return how often denials of one scope turn its sense: `neither, nor` and concord do it once."""
    without = [word for word in words if word in _WITHOUT]
    others = [word for word in words if word not in _WITHOUT]
    if len(others) > 1:
        others = [word for word in others if word not in _CONTINUES_DENIAL] or others[:1]
    return len(without) + (min(len(others), 1) if patterns.words.concord else len(others))


def _denials_in_header(text: str, span: Span, patterns: _Patterns) -> int:
    """Return the denials of the line with a colon that introduces a list with the mention in it."""
    start = text.rfind("\n", 0, span.start) + 1
    if not start or not _BULLET.match(text, start):
        return 0
    while start and (_BULLET.match(text, start) or text[start : start + 1] == "\n"):
        start = text.rfind("\n", 0, start - 1) + 1
    header = text[start : text.find("\n", start)].rstrip()
    if not header.endswith(":"):
        return 0
    return _denials_before(_clause_before(header[:-1], "", patterns), patterns)


def _is_denied_after(after: str, patterns: _Patterns, *, is_number: bool) -> bool:
    """Say whether the predicate behind a mention denies it."""
    plain = _blanked(after, patterns["idioms"])
    found = patterns["after"].search(plain)
    if found is None:
        return False
    between = plain[: found.start()]
    if patterns.words.verb_last and not patterns.words.common.startswith(("der ", "de ")):
        return len(between.strip()) <= 14 if is_number else True
    if is_number:
        wrong = len(between.split()) <= 2 and _COPULA.search(plain, 0, found.end() + 6)
        return bool(wrong) or (is_spaceless(found.group()[0]) and len(between) <= 8)
    if _BESIDE.search(between):
        return False
    return patterns.words.verb_last or len(between.split()) <= 5


def _is_asked(clause: _Clause, patterns: _Patterns) -> bool:
    """Say whether the mention is in a condition, or in a question that is not answered with yes."""
    for given in patterns["given"].finditer(_blanked(clause.before, patterns["idioms"])):
        if not patterns["you"].match(clause.before[given.end() :].lstrip()):
            return True
    if patterns["asked_after"].search(clause.after):
        return not patterns["yes"].match(clause.following)
    if clause.mark not in _QUESTION_MARKS:
        return False
    sentence = clause.sentence_before.lstrip(" ¿\"'-*")
    opening = patterns["ask"].match(sentence)
    is_short = len(clause.before.split()) <= 1 and len(clause.after.split()) <= 1
    if opening is None and not is_short:
        return False
    if opening is not None and patterns["you"].match(sentence[opening.end() :].lstrip()):
        return False
    return not patterns["yes"].match(clause.following)


def _is_of_another_time(clause: _Clause, patterns: _Patterns, *, is_number: bool) -> bool:
    """Say whether the clause is about another time or an opinion that the text corrects."""
    label = clause.sentence_before[: len(clause.sentence_before) - len(clause.before)].rstrip()
    # `Last month, there were 75`: what stands in front of the comma belongs to the clause.
    opening = label.removesuffix(",").strip()
    is_own = label.endswith(":") or patterns["then"].fullmatch(opening) is not None
    own = f"{label if is_own else ''} {clause.before} | {clause.after}"
    if patterns["now"].search(own):
        return False
    if not patterns["then"].search(own) and not (is_number and patterns["was"].search(own)):
        return False
    if patterns["now"].search(clause.around):
        return True
    return is_number and patterns["cut"].match(clause.following_clause) is not None


def _is_unsure(clause: _Clause, patterns: _Patterns) -> bool:
    return any(map(patterns["unsure"].search, (clause.before, clause.after)))


def _is_bound(text: str, span: Span, patterns: _Patterns) -> bool:
    """Say whether a number is only a limit: `more than 75`."""
    before = text[max(span.start - 24, 0) : span.start].rstrip(" $€£¥")
    if any(found.end() == len(before) for found in patterns["bound_before"].finditer(before)):
        return True
    after = re.sub(r"^ ?[^\W\d_]+(?= )", "", text[span.end : span.end + 40], count=1)
    return any(
        patterns["bound_after"].match(one.lstrip())
        for one in (text[span.end : span.end + 40], after)
    )
