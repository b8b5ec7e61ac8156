"""Git repositories, read and written by the git program and by libgit2, without knowledge of sweeps."""
