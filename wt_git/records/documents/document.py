"""`Document`, the base of everything that a command prints as JSON, and the parts that several share."""

from __future__ import annotations

import os
from typing import Any, Literal

import msgspec

from wt_git.records.record import encodable


class Document(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A versioned document; its fields are its keys, in their order."""

    def as_document(self) -> dict[str, Any]:
        """Return the document as JSON holds it, with every string in it encodable as UTF-8."""
        found: dict[str, Any] = msgspec.to_builtins(self, enc_hook=os.fspath)
        try:
            msgspec.json.encode(found)
        except UnicodeEncodeError:
            return {key: encodable(value) for key, value in found.items()}
        return found


Method = Literal["wilson", "newcombe", "agresti-min"]


class IntervalTotals(Document, frozen=True, kw_only=True):
    """An interval that holds the true value so often; `method` is named in docs/statistics.md."""

    low: float
    high: float
    confidence: float
    method: Method


class PassHatK(Document, frozen=True, kw_only=True):
    """How likely it is that `k` runs all pass, estimated without bias."""

    k: int
    value: float
