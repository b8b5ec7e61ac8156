"""The git hooks and their installation. The lifecycle hooks of a sweep are in `wt_git.hooks`."""
