// The data of the page, and links to it. The data is read when it is first needed.

function once(read) {
  let value;
  return () => (value ??= read());
}

const report = once(() => JSON.parse(byId("bench-data").textContent));

/** The name of a row, which tells apart two packs that own one scenario. */
const rowName = (row) => row.name ?? row.scenario_id;

/** All runs, by each name that a link may use. */
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

/** The detail of a run, from its own element; null where the page does not hold it. */
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
