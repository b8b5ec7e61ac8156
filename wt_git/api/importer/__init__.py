"""Making a scenario out of a recorded conversation: docs/importing.md."""

from wt_git.api.importer.plan import STUB_INPUT_SCHEMA
from wt_git.api.importer.writing import ImportResult, write_imported_scenario

__all__ = ["STUB_INPUT_SCHEMA", "ImportResult", "write_imported_scenario"]
