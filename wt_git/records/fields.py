"""Field types that several records share."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict


def as_recorded(text: str) -> str:
    """Return `text` as a record holds it.

    Agents and file names can carry half a surrogate pair; UTF-8 cannot, so it becomes U+FFFD.
    """
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _text(value: Any) -> Any:
    return as_recorded(value) if isinstance(value, str) else value


Text = Annotated[str, BeforeValidator(_text)]
"""A string from outside, always encodable as UTF-8."""


class Record(BaseModel):
    """A document that is written once and read for years: frozen, unknown keys kept."""

    model_config = ConfigDict(
        frozen=True, extra="allow", defer_build=True, allow_inf_nan=False, protected_namespaces=()
    )
