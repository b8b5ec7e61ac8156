"""Fingerprints for tests of what stands on them."""

from __future__ import annotations

from pathlib import Path

from wt_git.evidence.fingerprint import Fingerprint, Fingerprinter, FingerprintInputs


def a_fingerprinter(runtime: str = "mine", folder: Path | None = None) -> Fingerprinter:
    """What takes the fingerprint of a sweep on `runtime` in the working directory."""
    return Fingerprinter(
        FingerprintInputs(
            folder=folder or Path.cwd(),
            runs_dir=Path("runs"),
            runtime=runtime,
            target=runtime,
            model="m-1",
            wt_version="0",
        )
    )


def a_fingerprint() -> Fingerprint:
    """The fingerprint of a sweep outside of any repository."""
    return a_fingerprinter().take()
