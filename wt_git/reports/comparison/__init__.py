"""The comparison of `wt compare`, as a document, as text and as Markdown."""
