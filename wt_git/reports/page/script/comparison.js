// Comparing two labels: regressions, improvements, and scenarios that only one of them has.

const fromLabel = byId("compare-a");
const toLabel = byId("compare-b");
const KINDS = new Map([
  ["regression", "Regression"],
  ["improvement", "Improvement"],
  ["gone", "Not run any more"],
  ["new", "New"],
  ["same", "Same"],
]);

function chooseLabels(a, b) {
  const labels = report().variants;
  if (!fromLabel || !labels.includes(a) || !labels.includes(b)) return;
  fromLabel.value = labels.indexOf(a);
  toLabel.value = labels.indexOf(b);
  compare();
  byId("compare").scrollIntoView();
}

function chosenLabels() {
  const labels = report().variants;
  return [labels[fromLabel.value], labels[toLabel.value]];
}

function compare() {
  const [a, b] = chosenLabels();
  const all = differences(a, b);
  const isAsked = (one) => byId("compare-all").checked || one.kind !== "same";
  fill(byId("compare-summary"), countWords(all));
  const listed = all.filter(isAsked);
  fill(byId("compare-result"), listed.length > 0 && differenceTable(a, b, listed));
}

/** Return every scenario that ran under `a` or `b`: regressions first, then by the risk that was added. */
function differences(a, b) {
  const places = [...KINDS.keys()];
  return report()
    .scenarios.map((row) => difference(rowName(row), cellOf(row, a), cellOf(row, b)))
    .filter(({ before, after }) => before || after)
    .sort((x, y) => places.indexOf(x.kind) - places.indexOf(y.kind) || y.added - x.added);
}

function difference(scenario, before, after) {
  const added = (after?.failure_risk ?? 0) - (before?.failure_risk ?? 0);
  return { scenario, before, after, added, kind: kindOf(before, after) };
}

function kindOf(before, after) {
  if (!after) return "gone";
  if (!before) return "new";
  const rank = (cell) => VERDICTS.get(cell.verdict)?.rank ?? 0;
  if (rank(after) === rank(before)) return "same";
  return rank(after) < rank(before) ? "regression" : "improvement";
}

function countWords(all) {
  const count = (...kinds) => all.filter((one) => kinds.includes(one.kind)).length;
  const words = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
  return [
    words(count("regression"), "regression"),
    words(count("improvement"), "improvement"),
    `${count("same")} the same`,
    `${count("gone", "new")} on one side only.`,
  ].join(", ");
}

function differenceTable(a, b, listed) {
  const rows = listed.map(({ scenario, before, after, kind }) => [
    name(scenario),
    make("span", { class: `change ${kind}` }, KINDS.get(kind)),
    side(before, scenario, a),
    side(after, scenario, b),
    make("span", { class: "whole" }, riskWords(before, after)),
    make("div", { class: "wide" }, changedLayers(before, after)),
  ]);
  const heads = ["Scenario", "Change", name(a, 80), name(b, 80), "Failure risk", "Layers that changed"];
  return table("Table of what differs", heads, rows);
}

function riskWords(before, after) {
  return `${decimals(before?.failure_risk, 2)} → ${decimals(after?.failure_risk, 2)}`;
}

function side(cell, scenario, label) {
  if (!cell) return "—";
  const count = ` ${cell.passed ?? 0}/${cell.runs ?? 0}`;
  return make("span", { class: "whole" }, link({ scenario, label }, verdictSign(cell.verdict), count));
}

function changedLayers(before, after) {
  if (!before || !after) return null;
  const rate = (cell, layer) => cell.layers?.[layer]?.pass_rate;
  return Object.keys(after.layers ?? {})
    .filter((layer) => rate(before, layer) !== rate(after, layer))
    .map((layer) => `${layer} ${percent(rate(before, layer))} → ${percent(rate(after, layer))}`)
    .join(", ");
}

if (fromLabel) {
  for (const selector of [fromLabel, toLabel]) {
    selector.addEventListener("change", () => {
      const [a, b] = chosenLabels();
      history.replaceState(null, "", `#${new URLSearchParams({ compare: a, with: b })}`);
      compare();
    });
  }
  byId("compare-all").addEventListener("change", compare);
}
