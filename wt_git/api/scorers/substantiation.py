"""Catching fabrication: the claims of an answer must have come from a tool.

docs/writing-a-scenario.md, "Scorers", states the rules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from wt_git.api.answers.answer import Answer
from wt_git.api.evaluators.answer_text import split_identifiers, stated_numbers
from wt_git.api.scenario import NumberFact
from wt_git.api.score import LayerResult
from wt_git.api.scorers.combine import excerpt, searchable
from wt_git.api.tool_calls import found_by_tools, last_assistant_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wt_git.api.evaluators.answer_text import StatedNumber
    from wt_git.api.scorers.combine import Scorer
    from wt_git.api.trace import Trace

FactSpec: TypeAlias = str | NumberFact | Sequence[str]

_DIGITS = re.compile(r"[0-9]+")
_INTEGER = re.compile(r"(?<![A-Za-z0-9_])(?:0|[1-9][0-9]*)(?![A-Za-z0-9_])")


class _Claims(NamedTuple):
    """The claims of an author, by the way in which they are looked up."""

    groups: list[list[str]]
    numbers: list[NumberFact]
    invalid: list[object]


def substantiated_by_tools(facts: FactSpec | Sequence[FactSpec] | None = None) -> Scorer:
    """Return a scorer that fails when a claim is not among the results of tools.

    `facts` are strings, groups of alternatives and `NumberFact`s, all of which must be found. With
    None, every integer of the final answer is a claim. With an empty list, any tool result is
    enough. Digits inside an identifier such as `ORD-1001` do not substantiate a number.
    """
    claims = None if facts is None else _read_claims(facts)

    def substantiated_by_tools_scorer(trace: Trace) -> LayerResult:
        answer = last_assistant_text(trace)
        if answer is None:
            return LayerResult(passed=False, detail="no assistant turn in the trace")
        results = found_by_tools(trace)
        suffix = f" [evidence: {results.label}]"
        evidence = "\n".join(map(searchable, results.items))
        if not evidence.strip():
            return LayerResult(passed=False, detail=f"no tool result evidence{suffix}")
        if claims is None:
            problems = _unsupported_integers(answer, evidence)
        else:
            problems = _unsupported_claims(claims, evidence)
        detail = "; ".join(problems) or "all claims substantiated by tool results"
        return LayerResult(passed=not problems, detail=f"{detail}{suffix}")

    return substantiated_by_tools_scorer


def _read_claims(facts: FactSpec | Sequence[FactSpec]) -> _Claims:
    claims = _Claims([], [], [])
    specs: Sequence[object] = facts if isinstance(facts, list | tuple) else (facts,)
    for spec in specs:
        if isinstance(spec, NumberFact):
            claims.numbers.append(spec)
        elif isinstance(spec, str):
            claims.groups.append([spec])
        elif isinstance(spec, list | tuple) and all(isinstance(fact, str) for fact in spec):
            claims.groups.append(list(spec))
        else:
            claims.invalid.append(spec)
    return claims


def _unsupported_claims(claims: _Claims, evidence: str) -> list[str]:
    if claims.invalid:
        return [f"invalid fact specs: {', '.join(map(excerpt, claims.invalid))}"]
    problems: list[str] = []
    texts = Answer(evidence)
    groups = [group for group in claims.groups if not texts.find_fact(group).stated]
    if groups:
        problems.append(f"unsubstantiated fact groups: {' and '.join(map(repr, groups))}")
    outside, _ = split_identifiers(evidence)
    numbers = Answer(outside)
    findings = [numbers.find_number(number) for number in claims.numbers]
    lacking = [finding.detail for finding in findings if not finding.stated]
    if lacking:
        problems.append(f"unsubstantiated numeric facts: {'; '.join(lacking)}")
    return problems


def _unsupported_integers(answer: str, evidence: str) -> list[str]:
    """Return a problem that lists the numbers of `answer` without a source in `evidence`.

    For a number with separators or a fraction, either the whole has a source or all its parts have.
    Digits of an identifier may also come from an identifier; other numbers may not.
    """
    prose, named = split_identifiers(answer)
    outside, identifiers = split_identifiers(evidence)
    known = {found.key.lstrip("-") for found in stated_numbers(outside, ascii_words=True)}
    known.update(digits for digits, whole in _integers(outside) if not _is_one_value(whole))
    in_names = known | {digits for digits, _ in _integers(identifiers)}
    lacking = [*_lacking(prose, known), *_lacking(named, in_names)]
    if not lacking:
        return []
    return [f"unsubstantiated numeric facts: {', '.join(dict.fromkeys(lacking))}"]


def _lacking(text: str, known: set[str]) -> list[str]:
    """Return the numbers of `text`, as written, that have no source among the `known` ones."""
    return [
        digits if whole is None else whole.text
        for digits, whole in _integers(text)
        if not _has_source(digits, whole, known)
    ]


def _has_source(digits: str, whole: StatedNumber | None, known: set[str]) -> bool:
    if whole is None or not _is_one_value(whole):
        return digits in known
    return whole.key.lstrip("-") in known or known.issuperset(_DIGITS.findall(whole.text))


def _integers(text: str) -> Iterator[tuple[str, StatedNumber | None]]:
    """Yield every integer of `text`, with the number that contains it."""
    wholes = stated_numbers(text, ascii_words=True)
    whole = next(wholes, None)
    for integer in _INTEGER.finditer(text):
        while whole is not None and whole.end <= integer.start():
            whole = next(wholes, None)
        inside = whole is not None and whole.start <= integer.start()
        yield integer.group(), whole if inside else None


def _is_one_value(whole: StatedNumber | None) -> bool:
    """Say whether `whole` is one number; the parts of a date or version are numbers themselves."""
    return whole is not None and whole.key.count(".") <= 1
