// What the page knows, and the links to it. Both are read when first needed: the tables are there already.

function once(read) {
  let value;
  return () => (value ??= read());
}

const report = once(() => JSON.parse(byId("bench-data").textContent));

/** What a row is called: `name` tells apart two packs that own one scenario. */
const rowName = (row) => row.name ?? row.scenario_id;

/** All runs, by every name that a link may call them. */
const runs = once(() => {
  const found = new Map();
  for (const row of report().scenarios) {
    for (const [label, cell] of Object.entries(row.cells)) {
      (cell.run_list ?? []).forEach((run, index) => {
        const place = { scenario: rowName(row), label, cell, run, index };
        found.set(run.path, place);
        if (!found.has(run.run_id)) found.set(run.run_id, place);
      });
    }
  }
  return found;
});

/** What a run showed, from its own element; null where the page does not hold it. */
function detailOf(run) {
  const element = byId(run.data);
  return element?.matches("script.run-data") ? JSON.parse(element.textContent) : null;
}

const cellOf = (row, label) => (Object.hasOwn(row.cells, label) ? row.cells[label] : null);

function link(keys, ...children) {
  return make("a", { href: `#${new URLSearchParams(keys)}` }, ...children);
}

function runLink(run, ...children) {
  const isNamedById = run.run_id && runs().get(run.run_id)?.run === run;
  return link({ run: isNamedById ? run.run_id : run.path }, ...children);
}
