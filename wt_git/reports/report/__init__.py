"""What `wt report` shows; the page has a package of its own."""
