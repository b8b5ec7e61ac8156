"""Statistics of runs that passed and failed: intervals, exact tests, and the runs still needed."""
