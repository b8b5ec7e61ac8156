"""`Document`, the base of everything that a command prints as JSON, and the parts that several share."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

from wt_git.records.record import encodable

Text = Annotated[str, BeforeValidator(encodable)]
"""A string from outside, always encodable as UTF-8."""

Facts = Annotated[dict[str, Any], BeforeValidator(encodable)]
"""Values of any kind that JSON has, by name; every string among them encodable as UTF-8."""


class Document(BaseModel):
    """A versioned document, frozen; what it does not declare is a mistake in the program."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, protected_namespaces=()
    )

    def as_document(self) -> dict[str, Any]:
        """Return the document as JSON holds it."""
        return self.model_dump(mode="json")


Method = Literal["wilson", "newcombe", "agresti-min"]


class IntervalTotals(Document):
    """An interval that holds the true value so often; `method` is named in docs/statistics.md."""

    low: float
    high: float
    confidence: float
    method: Method


class PassHatK(Document):
    """How likely it is that `k` runs all pass, estimated without bias."""

    k: int
    value: float
