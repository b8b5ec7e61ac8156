"""Field types that several records share."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict


def _without_lone_surrogates(value: Any) -> Any:
    """Agents and file names can carry half a surrogate pair; UTF-8 cannot, so it becomes U+FFFD."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


Text = Annotated[str, BeforeValidator(_without_lone_surrogates)]
"""A string from outside, always encodable as UTF-8."""


class Record(BaseModel):
    """A document that is written once and read for years: frozen, unknown keys kept."""

    model_config = ConfigDict(
        frozen=True, extra="allow", defer_build=True, allow_inf_nan=False, protected_namespaces=()
    )
