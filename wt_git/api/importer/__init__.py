"""Making a scenario out of a recorded conversation: docs/importing.md."""

from wt_git.api.importer.plan import STUB_INPUT_SCHEMA as STUB_INPUT_SCHEMA
from wt_git.api.importer.writing import ImportResult as ImportResult
from wt_git.api.importer.writing import write_imported_scenario as write_imported_scenario
