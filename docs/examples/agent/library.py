"""The Rivermouth town library as four tools, and an MCP server that offers them.

Run it by itself with `python library.py --port 8700` to look at it with any MCP client. Nothing
here changes: a renewal is granted and forgotten, so that every reader meets the same library.
"""

from __future__ import annotations

import argparse
import socket
import threading
from typing import Any

import uvicorn
from mcp.server.mcpserver import MCPServer

HOURS = {
    "Monday": ("09:00", "18:00"),
    "Tuesday": ("09:00", "20:00"),
    "Wednesday": ("09:00", "18:00"),
    "Thursday": ("09:00", "20:00"),
    "Friday": ("09:00", "18:00"),
    "Saturday": ("10:00", "16:00"),
}
BOOKS = [
    {"title": "Dune", "author": "Frank Herbert", "shelf": "F-07", "copies": 4, "on_shelf": 2},
    {
        "title": "The Hobbit",
        "author": "J. R. R. Tolkien",
        "shelf": "C-31",
        "copies": 5,
        "on_shelf": 0,
    },
    {
        "title": "The Left Hand of Darkness",
        "author": "Ursula K. Le Guin",
        "shelf": "F-12",
        "copies": 3,
        "on_shelf": 1,
    },
]
LOANS = {"2041": [{"title": "The Hobbit", "due": "3 June"}, {"title": "Dune", "due": "9 June"}]}
RESERVED = {"Dune"}
RENEWED_UNTIL = "24 June"


def opening_hours(day: str) -> dict[str, Any]:
    """When the library opens and closes on a day of the week, for example Monday."""
    day = day.strip().capitalize()
    if day not in HOURS:
        return {"day": day, "open": False}
    opens, closes = HOURS[day]
    return {"day": day, "open": True, "opens": opens, "closes": closes}


def find_book(title: str) -> dict[str, Any]:
    """Author, shelf and copies of a book. Needs its exact title; upper and lower case are equal."""
    for book in BOOKS:
        if str(book["title"]).lower() == title.strip().lower():
            return {"found": True, **book}
    return {"found": False, "title": title}


def list_loans(card: str) -> dict[str, Any]:
    """The books on loan to a card, by its number, each with the day when it is due."""
    return {"card": card, "known": card in LOANS, "loans": LOANS.get(card, [])}


def renew_loan(card: str, title: str) -> dict[str, Any]:
    """Renew the loan of a book. Refused when somebody has reserved it. Changes the loan."""
    if title not in [loan["title"] for loan in LOANS.get(card, [])]:
        return {"renewed": False, "reason": f"{title} is not on loan to card {card}"}
    if title in RESERVED:
        return {"renewed": False, "reason": "another reader has reserved it"}
    return {"renewed": True, "title": title, "due": RENEWED_UNTIL}


TOOLS = (opening_hours, find_book, list_loans, renew_loan)


def server() -> uvicorn.Server:
    """Return a server of the tools, at `/mcp` of the address that it will be given."""
    tools = MCPServer("rivermouth-library", log_level="WARNING")
    for function in TOOLS:
        tools.tool()(function)
    app = tools.streamable_http_app(stateless_http=True, json_response=True)
    return uvicorn.Server(uvicorn.Config(app, log_level="warning"))


def serve_in_background() -> str:
    """Serve the tools on a free port for as long as this process lives, and return their URL."""
    bound = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=server().run, args=([bound],), daemon=True).start()
    return f"http://127.0.0.1:{bound.getsockname()[1]}/mcp"


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--port", type=int, default=8700)
    listening = socket.create_server(("127.0.0.1", options.parse_args().port))
    server().run([listening])
