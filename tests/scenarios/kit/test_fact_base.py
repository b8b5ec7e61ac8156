from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from wt_git.scenarios.kit import facts
from wt_git.scenarios.kit.facts import STAGES, FactBase, tally, tally_by_stage

GONE = replace(facts.CHICAGO_CUBS, status="closed", archived=True)
BASE = FactBase(
    clients=(facts.LOWELL_SPINNERS, facts.LOWELL_CONCESSIONS, facts.PORTLAND_PICKLES, GONE),
    orders=(
        facts.SPINNERS_JERSEYS_IN_INTAKE,
        facts.SPINNERS_CAPS_IN_INTAKE,
        facts.CONCESSIONS_JERSEYS_IN_STORAGE,
        replace(facts.CUBS_PENNANTS_IN_STORAGE, client=GONE),
    ),
    products=(facts.SPINNERS_JERSEY,),
)


def ids(rows: list[dict]) -> list[str]:
    return [row.get("orderId") or row["id"] for row in rows]


def test_the_lookup_is_lenient(subtests):
    """Any part of id and name finds a client, in any case; a misspelling finds none."""
    for query, found in [
        ("lowell", ["ACC-LSPN-001", "ACC-LSPN-002"]),
        ("  LOWELL spin ", ["ACC-LSPN-001"]),
        ("port-001 portland", ["ACC-PORT-001"]),
        ("acc-", ["ACC-LSPN-001", "ACC-LSPN-002", "ACC-PORT-001", "ACC-CHIC-001"]),
        ("", ["ACC-LSPN-001", "ACC-LSPN-002", "ACC-PORT-001", "ACC-CHIC-001"]),
        ("Lowell Spiners", []),
    ]:
        with subtests.test(query=query, found=found):
            assert ids(BASE.find_clients(query)) == found


@given(st.sampled_from(BASE.clients), st.data())
def test_every_part_of_a_name_finds_its_client(client, data):
    """Whatever part of a client's id or name is asked for, the client is among the matches."""
    whole = data.draw(st.sampled_from([client.id, client.name]))
    start = data.draw(st.integers(0, len(whole) - 1))
    end = data.draw(st.integers(start + 1, len(whole)))
    assert client.id in ids(BASE.find_clients(whole[start:end].swapcase()))


def test_clients_are_filtered_by_status_and_archive():
    """Status and archive narrow a lookup."""
    assert ids(BASE.find_clients("", "closed")) == ["ACC-CHIC-001"]
    assert "ACC-CHIC-001" not in ids(BASE.find_clients("", None, True))


def test_the_order_query_is_strict(subtests):
    """Only an exact id, sku and stage match: a client's name finds nothing."""
    for asked, found in [
        ({"client": "ACC-LSPN-001"}, ["ORD-1001", "ORD-1002"]),
        ({"client": "acc-lspn-001"}, ["ORD-1001", "ORD-1002"]),
        ({"client": "Lowell Spinners"}, []),
        ({"client": "ACC-LSPN"}, []),
        ({"client": ""}, []),
        ({"sku": "B001AAA"}, ["ORD-1001", "ORD-2001"]),
        ({"sku": "b001aaa"}, []),
        ({"stage": "Storage"}, ["ORD-2001", "ORD-4001"]),
        ({"stage": "storage"}, []),
        ({"client": "ACC-LSPN-002", "sku": "B002BBB"}, []),
        ({"client_status": "closed"}, ["ORD-4001"]),
        ({"stage": "Storage", "exclude_archived": True}, ["ORD-2001"]),
        ({"limit": 1}, ["ORD-1001"]),
        ({"limit": 2, "offset": 1}, ["ORD-1002", "ORD-2001"]),
        ({"offset": 3}, ["ORD-4001"]),
        ({"limit": -1}, []),
    ]:
        with subtests.test(asked=asked, found=found):
            assert ids(BASE.query_orders(**asked)) == found


def test_the_report_has_every_stage():
    """Stages without orders are zeros, and an unknown client is zeros throughout."""
    report = BASE.order_report("B001AAA")
    assert list(report["byStage"]) == list(STAGES)
    assert report["byStage"]["Intake"] == {"count": 1, "quantity": 12}
    assert report["total"] == {"count": 2, "quantity": 15}
    assert BASE.order_report("B001AAA", "acc-lspn-002")["total"] == {"count": 1, "quantity": 3}
    assert BASE.order_report("B001AAA", "Lowell Spinners")["total"] == {"count": 0, "quantity": 0}


@given(
    st.lists(st.tuples(st.sampled_from(STAGES), st.integers(0, 1000))),
)
def test_buckets_add_up_to_the_total(orders):
    """The tallies of the stages are together the tally of all."""
    rows = [{"stage": stage, "quantity": quantity} for stage, quantity in orders]
    buckets = tally_by_stage(rows).values()
    assert sum(bucket["count"] for bucket in buckets) == tally(rows)["count"] == len(rows)
    assert sum(bucket["quantity"] for bucket in buckets) == tally(rows)["quantity"]


def test_products_are_found_by_their_exact_sku():
    """Names and other spellings find nothing."""
    assert BASE.find_product("B001AAA")["brand"] == "SpinnersGear"
    assert BASE.find_product("b001aaa") is None
    assert BASE.find_product("Spinners Jersey - Home") is None


def test_rows_are_fresh():
    """A tool or a caller that edits an answer does not edit the world."""
    BASE.find_clients("")[0]["name"] = "forged"
    BASE.query_orders()[0]["quantity"] = 0
    assert BASE.find_clients("")[0]["name"] == "Lowell Spinners"
    assert BASE.query_orders()[0]["quantity"] == 12
