// One scenario under one label: its layers and its runs.

const MOST_METRICS = 12; // columns of the table of runs

function cellView({ scenario, label, cell }) {
  return [
    make("p", { class: "lead" }, verdictSign(cell.verdict), " ", passedWords(cell)),
    cellFacts(label, cell),
    make("h3", null, "Layers"),
    cellLayers(cell),
    make("h3", null, "Runs"),
    runTable(cell.run_list ?? []),
  ];
}

function passedWords(cell) {
  const invalid = cell.invalid ? `, ${cell.invalid} invalid` : "";
  const interval = cell.interval
    ? `; the rate lies between ${percent(cell.interval.low)} and ${percent(cell.interval.high)} (95%)`
    : "";
  return `${cell.passed ?? 0} of ${cell.runs ?? 0} runs passed${invalid}${interval}`;
}

function cellFacts(label, cell) {
  const severity = cell.failure_cost?.severity;
  const hat = cell.pass_hat_k;
  return facts([
    ["Label", name(label)],
    ["Severity", severity && severitySign(severity)],
    ["Failure risk", decimals(cell.failure_risk, 2)],
    ["A failure", costWords(cell.failure_cost)],
    [hat && `Pass^${hat.k}`, hat && `${percent(hat.value)}: the chance that ${hat.k} runs all pass`],
    ["Robustness", cell.robustness?.applicable && percent(cell.robustness.pass_rate)],
    ["Tier", cell.tier],
    ["Pack", cell.pack],
    ["Sweep", cell.sweep_id],
    ["Scores", cell.rescored && "made again after the sweep"],
    ["Failed without deciding", (cell.diagnostic_failures ?? []).join(", ")],
  ]);
}

function costWords(cost) {
  if (!isObject(cost)) return null;
  const words = [
    cost.customer_visible ? "is seen by customers" : "is not seen by customers",
    cost.reversible ? "can be undone" : "cannot be undone",
  ];
  if (cost.side_effect_performed) words.push("has side effects");
  return words.join(", ");
}

function cellLayers(cell) {
  const items = Object.entries(cell.layers ?? {}).map(([layer, { passed, pass_rate: rate, detail }]) => {
    const isGate = cell.gate_layers?.includes(layer);
    return layerItem({ layer, passed, detail, remarks: [`passed in ${percent(rate)} of runs`, decides(layer, isGate)] });
  });
  return make("ul", { class: "layers" }, items);
}

/** Return a layer with its detail; `remarks` are words about it, some of which may be missing. */
function layerItem({ layer, passed, detail, remarks }) {
  const sign = make("span", { class: `verdict ${passed ? "pass" : "fail"}` }, passed ? "passed" : "failed");
  const words = make("span", { class: "remarks-on-layer" }, remarks.filter(Boolean).join(" · "));
  const heading = make("p", { class: "layer-name" }, make("strong", null, layer), " ", sign, " ", words);
  return make("li", null, heading, detail && longText(detail));
}

function decides(layer, isGate) {
  if (layer === "integrity") return "decides whether a run counts";
  return isGate ? "decides the verdict" : "does not decide";
}

/** Return the beginning of a run's id, by which people call it. */
const runWord = (run) => (run.run_id || "?").slice(0, 8);

function runTable(list) {
  const named = new Set(list.flatMap((run) => Object.keys(run.metrics ?? {})));
  const metrics = [...named].slice(0, MOST_METRICS);
  const metricOf = (run, metric) => (Object.hasOwn(run.metrics ?? {}, metric) ? run.metrics[metric] : undefined);
  const rows = list.map((run) => [
    runLink(run, make("code", null, runWord(run))),
    verdictSign(run.verdict),
    timeSign(run.started_at),
    ...metrics.map((metric) => metricText(metricOf(run, metric))),
  ]);
  const heads = ["Run", "Verdict", "Started (UTC)", ...metrics.map((metric) => name(metric, 60))];
  return table("Table of runs", heads, rows);
}
