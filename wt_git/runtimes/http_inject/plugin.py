"""What `--runtime http_inject` resolves to."""

from __future__ import annotations

from wt_git.runtimes.http_inject.endpoint import parse_endpoint
from wt_git.runtimes.http_inject.runtime import HttpInjectRuntime, configured_url


class HttpInjectPlugin:
    """One endpoint, taken from the environment; one scenario at a time, since a reset is total."""

    def build(self, runtime_name: str, label: str, soul_path: str | None) -> HttpInjectRuntime:
        """Return the runtime; raises `RuntimeError` naming a variable that it cannot use."""
        del runtime_name, label, soul_path
        return HttpInjectRuntime()

    def lock_key(self, runtime_name: str) -> str:
        """Return `<runtime_name>:<url>`: sweeps against one endpoint must take turns.

        Raises `RuntimeError` for a URL that the runtime would refuse, so that nothing of it is
        shown to those who wait.
        """
        return f"{runtime_name}:{parse_endpoint(configured_url()).url}"


PLUGIN = HttpInjectPlugin()
