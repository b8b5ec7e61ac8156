"""What git calls while people work: one module for each git hook, and what sets them up."""
