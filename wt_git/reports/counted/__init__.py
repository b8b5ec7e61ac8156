"""The runs that count: found in a directory, grouped, and added up."""
