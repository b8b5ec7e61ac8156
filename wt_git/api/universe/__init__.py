"""Recorded universes: tools and their recorded results, in one file that replaces a live system.

docs/recorded-servers.md has the format of `*.universe.json` and the rules of matching;
`windtunnel.mcp` has the server.
"""

from wt_git.api.universe.document import MATCH_MODES as MATCH_MODES
from wt_git.api.universe.document import MISS_POLICIES as MISS_POLICIES
from wt_git.api.universe.document import UNIVERSE_VERSION as UNIVERSE_VERSION
from wt_git.api.universe.document import SynthesizeHook as SynthesizeHook
from wt_git.api.universe.document import Universe as Universe
from wt_git.api.universe.document import UniverseFormatError as UniverseFormatError
from wt_git.api.universe.document import UniverseMatching as UniverseMatching
from wt_git.api.universe.document import UniverseRecording as UniverseRecording
from wt_git.api.universe.document import UniverseTool as UniverseTool
from wt_git.api.universe.document import freeze_universe as freeze_universe
from wt_git.api.universe.document import load_universe as load_universe
from wt_git.api.universe.document import normalize_tool_args as normalize_tool_args
from wt_git.api.universe.document import save_universe as save_universe
from wt_git.api.universe.document import tools_by_name as tools_by_name
from wt_git.api.universe.document import universe_from_dict as universe_from_dict
from wt_git.api.universe.document import universe_to_dict as universe_to_dict
from wt_git.api.universe.matching import empty_result_for as empty_result_for
from wt_git.api.universe.matching import fail_call_result as fail_call_result
from wt_git.api.universe.matching import find_exact_recording as find_exact_recording
from wt_git.api.universe.matching import find_keyed_recording as find_keyed_recording
from wt_git.api.universe.matching import find_nearest_recording as find_nearest_recording
