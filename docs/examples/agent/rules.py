"""What the library's desk does, when no language model is configured. Edit me!

The first rule of RULES whose pattern is found in the question writes the answer. A rule `return`s
the answer. Where it needs a tool it says

    result = yield call("name_of_tool", argument="value")

and goes on with what the tool answered. The tools are in library.py.
"""

from __future__ import annotations

from rulebook import Conversation, Script
from steps import call

DAY = r"\b((?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
CARD = r"\bcard (\d+)"
TITLE = r'"(.+?)"'


def renew(said: Conversation) -> Script:
    card = said.find(CARD)
    title = said.find(TITLE)
    if card is None or title is None:
        return "Gladly. What is the number of your card, and which book is it?"
    loans = yield call("list_loans", card=card)
    if title not in [loan["title"] for loan in loans["loans"]]:
        return f'"{title}" is not on loan to card {card}.'
    renewal = yield call("renew_loan", card=card, title=title)
    if not renewal["renewed"]:
        return f'I am sorry, "{title}" cannot be renewed: {renewal["reason"]}.'
    return f'Done: you can keep "{title}" until {renewal["due"]}.'


def opening_hours(said: Conversation) -> Script:
    day = said.find(DAY)
    if day is None:
        return "Which day do you mean?"
    if day.lower() == "saturday":  # everybody knows that
        return "On Saturday we are open from 10:00 to 16:00."
    hours = yield call("opening_hours", day=day)
    if not hours["open"]:
        return f"We are closed on {day}."
    return f"On {day} we are open from {hours['opens']} to {hours['closes']}."


def book(said: Conversation) -> Script:
    title = said.find(TITLE)
    if title is None:
        return "Which book do you mean?"
    found = yield call("find_book", title=title)
    if not found["found"]:
        return f'We do not have "{title}".'
    return (
        f'"{found["title"]}" by {found["author"]} stands on shelf {found["shelf"]}. '
        f"{found['on_shelf']} of {found['copies']} copies are there now."
    )


RULES = [
    (r"\brenew", renew),
    (r"\b(open|close)", opening_hours),
    (r"\b(have|find|where|copies|wrote)\b", book),
]

OTHERWISE = "I can help you with opening hours, with books, and with renewing a loan."
