"""Contract C: benching an agent that offers two HTTP routes. docs/writing-a-runtime.md."""

from wt_git.runtimes.http_inject.runtime import (
    DEFAULT_BASE_URL,
    DEFAULT_TIMEOUT_S,
    HttpInjectRuntime,
)

__all__ = ["DEFAULT_BASE_URL", "DEFAULT_TIMEOUT_S", "HttpInjectRuntime"]
