"""The runs that count: found in a directory, grouped by scenario and label, and added up."""
