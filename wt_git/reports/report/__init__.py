"""The report of `wt report`: its document, its Markdown, and the details of runs."""
