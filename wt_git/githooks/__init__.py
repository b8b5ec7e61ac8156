"""The git hooks and their installation. Lifecycle hooks of a sweep are not part of it."""
