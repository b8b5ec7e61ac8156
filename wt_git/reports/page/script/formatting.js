// How verdicts, severities, rates and times look; values.py has the same for the templates.

const VERDICTS = new Map([
  ["PASS", { kind: "pass", word: "PASS", rank: 3 }],
  ["PASS_WITH_VARIANCE", { kind: "variance", word: "VARIANCE", rank: 2 }],
  ["FAIL", { kind: "fail", word: "FAIL", rank: 1 }],
  ["INVALID", { kind: "invalid", word: "INVALID", rank: 0 }],
]);
const SEVERITIES = ["low", "medium", "high", "critical"];

const isNumber = (value) => typeof value === "number";
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function verdictSign(verdict) {
  const unknown = { kind: "unknown", word: shortened(String(verdict), 30) };
  const { kind, word } = VERDICTS.get(verdict) ?? unknown;
  return make("span", { class: `verdict ${kind}` }, word);
}

function severitySign(severity) {
  const kind = SEVERITIES.includes(severity) ? severity : "unknown";
  return make("span", { class: `severity ${kind}` }, shortened(String(severity), 30));
}

/** Return a rate as a whole percentage; only a rate of 1 is 100%, and only 0 is 0%. */
function percent(rate) {
  if (!isNumber(rate)) return "—";
  const whole = Math.round(rate * 100);
  if (whole === 0 && rate > 0) return "<1%";
  if (whole === 100 && rate < 1) return ">99%";
  return `${whole}%`;
}

function decimals(value, most = 4) {
  return isNumber(value) ? value.toLocaleString("en-US", { maximumFractionDigits: most }) : "—";
}

function timeSign(stamp) {
  const when = new Date(stamp ?? "");
  if (Number.isNaN(when.getTime())) return shortened(String(stamp || "—"), 40);
  const text = when.toISOString();
  return make("time", { datetime: text }, `${text.slice(0, 10)} ${text.slice(11, 19)}`);
}

function metricText(value) {
  if (value === undefined) return "—";
  return isNumber(value) ? decimals(value) : shortened(String(value), 120);
}
