"""What runs that passed and failed allow to be said: intervals, exact tests, runs that are missing."""
