"""Reading an answer as a person does: its script, its facts, its numbers, and what it denies.

docs/writing-a-scenario.md, "Matching". Pure functions over text; tables of words are data.
"""
