"""Mutants of Python source: one small change each, of the kinds that a careless edit makes.

A mutant is cut out of the source text, so that nothing but the change differs from the original.
"""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.Lt: ast.GtE,
    ast.Gt: ast.LtE,
    ast.In: ast.NotIn,
    ast.Is: ast.IsNot,
}
_OPPOSITES |= {after: before for before, after in _OPPOSITES.items()}
_BOUNDARIES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
_TWINS = {"any": "all", "all": "any", "min": "max", "max": "min"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """The text `after` in place of the bytes from `start` to `end` of a file.

    `name` says what it is in words that survive edits elsewhere in the file.
    """

    path: str
    line: int
    operator: str
    name: str
    start: int
    end: int
    after: str

    def applied(self, source: bytes) -> bytes:
        """The source with the change."""
        return source[: self.start] + self.after.encode() + source[self.end :]


def mutants_of(path: str, source: bytes) -> list[Mutant]:
    """Every mutant of a file, in the order of the text."""
    finder = _Finder(path, source)
    finder.visit(ast.parse(source))
    return finder.found


def drawn(mutants: Iterable[Mutant], count: int, *, seed: str) -> list[Mutant]:
    """The same `count` mutants for a seed, as many of each operator as there are.

    Each has a place of its own in the order, so an edit of one function draws only its mutants anew.
    """
    by_operator: dict[str, list[Mutant]] = {}
    for one in mutants:
        by_operator.setdefault(one.operator, []).append(one)
    for group in by_operator.values():
        group.sort(key=lambda one: hashlib.sha256(f"{seed} {one.name}".encode()).digest())
    found: list[Mutant] = []
    while len(found) < count and any(by_operator.values()):
        for operator in sorted(by_operator):
            found += by_operator[operator][:1]
            del by_operator[operator][:1]
    return found[:count]


class _Finder(ast.NodeVisitor):
    def __init__(self, path: str, source: bytes) -> None:
        self.path = path
        self.source = source
        self.found: list[Mutant] = []
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._inside: list[str] = []
        self._names = Counter[str]()

    # Where nothing is mutated: types, decorators, the wording of messages.

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_arg(self, node: ast.arg) -> None:
        pass

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        pass

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self._conditions(node.test)
        self._early_exit(node)
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._within(node.name, node.body)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        defaults = [one for one in (*node.args.defaults, *node.args.kw_defaults) if one]
        self._within(node.name, [*defaults, *node.body])

    def _within(self, name: str, nodes: Iterable[ast.AST]) -> None:
        self._inside.append(name)
        for one in nodes:
            self.visit(one)
        self._inside.pop()

    # The operators.

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1:
            for operator, table in (("comparison", _OPPOSITES), ("boundary", _BOUNDARIES)):
                other = table.get(type(node.ops[0]))
                if other is not None:
                    changed = ast.Compare(node.left, [other()], node.comparators)
                    self._add(operator, node, ast.unparse(changed))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        self._add("boolean", node, _bracketed(ast.BoolOp(other, node.values)))
        for index in range(len(node.values)):
            rest = [*node.values[:index], *node.values[index + 1 :]]
            kept = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
            self._add("operand", node, _bracketed(kept))
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._add("condition", node, _bracketed(node.operand))
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self._conditions(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._conditions(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self._conditions(test)
            self._add("filter", test, "True")
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        self._elements(node.value)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if not self._inside:
            self._elements(node.value)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in _TWINS:
            self._add("quantifier", node.func, _TWINS[node.func.id])
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._add("constant", node, str(not node.value))
        elif isinstance(node.value, int | float):
            self._add("constant", node, repr(node.value + 1))

    def _conditions(self, test: ast.expr) -> None:
        """Negate a condition; of a comparison that is another operator's mutant already."""
        if not isinstance(test, ast.Compare | ast.UnaryOp | ast.BoolOp):
            self._add("condition", test, f"(not {_bracketed(test)})")

    def _early_exit(self, node: ast.If) -> None:
        last = node.body[-1]
        if isinstance(last, ast.Return | ast.Raise | ast.Continue) and not node.orelse:
            kind = type(last).__name__.lower()
            self._add("early exit", last, "pass", before=f"if {ast.unparse(node.test)}: {kind}")

    def _elements(self, value: ast.expr | None) -> None:
        """Take one element out of a collection that is returned, or a constant of the module."""
        if isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords:
            value = value.args[0]  # frozenset({...})
        if isinstance(value, ast.Dict) and len(value.keys) > 1:
            for index in range(len(value.keys)):
                keys = [*value.keys[:index], *value.keys[index + 1 :]]
                values = [*value.values[:index], *value.values[index + 1 :]]
                self._add("element", value, ast.unparse(ast.Dict(keys, values)))
        elif isinstance(value, ast.List | ast.Set | ast.Tuple) and len(value.elts) > 1:
            for index in range(len(value.elts)):
                rest = [*value.elts[:index], *value.elts[index + 1 :]]
                changed = (
                    ast.Tuple(rest, ast.Load())
                    if isinstance(value, ast.Tuple)
                    else type(value)(rest)
                )
                self._add("element", value, ast.unparse(changed))

    def _add(
        self, operator: str, node: ast.expr | ast.stmt, after: str, before: str | None = None
    ) -> None:
        start = self._starts[node.lineno - 1] + node.col_offset
        end = self._starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        if before is None:
            before = " ".join(self.source[start:end].decode().split())
        where = ".".join([self.path.removesuffix(".py").replace("/", "."), *self._inside])
        name = f"{where}: {before} -> {after}"
        self._names[name] += 1
        if self._names[name] > 1:
            name += f" ({self._names[name]})"
        self.found.append(Mutant(self.path, node.lineno, operator, name, start, end, after))


def _bracketed(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"
