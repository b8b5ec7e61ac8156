// One run: the reason for its verdict, and its conversation turn by turn.

const EVIDENCE = new Map([
  ["server-witnessed", "what the tool servers logged"],
  ["transcript", "the transcript; no tool server logged a call"],
  ["unavailable", "none, since the log of a tool server could not be read"],
]);
const MOST_PARSED = 100_000; // characters of a text that is tried as JSON
const SHORT_RESULT = 600;

function runView(place) {
  const run = detailOf(place.run);
  if (!run) return [runPlaces(place), make("p", { class: "nothing" }, "This page does not hold this run.")];
  return [
    runPlaces(place),
    make("p", { class: "lead" }, verdictSign(run.verdict), " ", name(place.scenario), " under ", name(place.label)),
    decision(run),
    make("h3", null, "Layers"),
    runLayers(run.layers ?? {}),
    ...warningList(run.warnings ?? []),
    make("h3", null, "Conversation"),
    make("ol", { class: "turns" }, (run.turns ?? []).map((turn, index) => turnView(run, turn, index))),
    serverLog(run.mcp_calls ?? []),
    make("h3", null, "About this run"),
    runFacts(run),
  ];
}

function runPlaces({ scenario, label, cell, index }) {
  const list = cell.run_list;
  const all = `All ${list.length} run${list.length === 1 ? "" : "s"}`;
  return make(
    "nav",
    { class: "places", "aria-label": "Runs of this scenario" },
    link({ scenario, label }, all),
    list[index - 1] && runLink(list[index - 1], "Previous run"),
    list[index + 1] && runLink(list[index + 1], "Next run"),
  );
}

function decision(run) {
  const evidence = EVIDENCE.get(run.evidence) ?? shortened(String(run.evidence ?? "not recorded"), 200);
  return make(
    "div",
    { class: "decision" },
    make("h3", null, "What decided"),
    run.failed_because && longText(run.failed_because),
    make("p", null, `Evidence of tool calls: ${evidence}.`),
    isNumber(run.failed_turn) && turnButton(run.failed_turn),
  );
}

function turnButton(index) {
  const button = make("button", { type: "button" }, `Go to turn ${index + 1}, where it failed`);
  button.addEventListener("click", goToFailedTurn);
  return button;
}

function runLayers(layers) {
  const items = Object.entries(layers).map(([layer, { passed, detail, gate, evidence }]) => {
    const remarks = [decides(layer, gate), evidence && `evidence: ${shortened(evidence, 80)}`];
    return layerItem({ layer, passed, detail, remarks });
  });
  return make("ul", { class: "layers" }, items);
}

function warningList(warnings) {
  if (!warnings.length) return [];
  const items = warnings.map((one) => make("li", null, longText(one)));
  return [make("h3", null, "Warnings"), make("ul", { class: "warnings" }, items)];
}

function runFacts(run) {
  const model = [run.model, run.quant].filter((word) => word && word !== "unknown").join(" ");
  const metrics = Object.entries(run.metrics ?? {});
  return facts([
    ["Run", name(run.run_id)],
    ["Started", timeSign(run.started_at)],
    ["Finished", timeSign(run.finished_at)],
    ["Model", name(model || "not known")],
    ["Trace", name(run.path, 1000)],
    ...metrics.map(([metric, value]) => [name(metric, 60), metricText(value)]),
  ]);
}

function turnView(run, turn, index) {
  const hasFailed = index === run.failed_turn;
  const isFrozen = index < (run.frozen_turns ?? 0);
  const speaker = ["user", "assistant"].includes(turn.role) ? turn.role : "other";
  const marks = `${hasFailed ? " failed" : ""}${isFrozen ? " frozen" : ""}`;
  return make(
    "li",
    { class: `turn role-${speaker}${marks}` },
    turnHeading(turn, index, hasFailed, isFrozen),
    hasFailed && run.failed_because && make("div", { class: "because" }, longText(run.failed_because)),
    turn.content && longText(turn.content),
    listOf(turn.tool_calls).map(callView),
    listOf(turn.tool_results).map(resultView),
  );
}

function turnHeading(turn, index, hasFailed, isFrozen) {
  const took = turn.latency_ms > 0 && `${decimals(Math.round(turn.latency_ms) / 1000)} s`;
  return make(
    "h4",
    { tabindex: hasFailed ? "-1" : null },
    `Turn ${index + 1} · ${shortened(String(turn.role ?? "?"), 40)} `,
    took && make("span", { class: "took" }, took),
    hasFailed && make("span", { class: "verdict fail" }, "failed here"),
    isFrozen && make("span", { class: "note" }, "replayed, not scored"),
  );
}

function listOf(value) {
  if (value == null) return [];
  return Array.isArray(value) ? value : [value];
}

/** Show a call as it came: OpenAI's shape, the flat one, or any other. */
function callView(call) {
  const inner = isObject(call?.function) ? call.function : call;
  if (!isObject(inner) || typeof inner.name !== "string") return toolCall("a call of an unknown shape", call);
  return toolCall(inner.name, parsed(inner.arguments ?? inner.args ?? {}));
}

function toolCall(called, given, ...more) {
  const heading = make("p", { class: "call-name" }, "calls ", make("code", null, name(called)));
  return make("div", { class: "call" }, heading, longText(given, "pre"), ...more);
}

function resultView(result) {
  const value = insideOf(result);
  const isShort = pretty(value).length < SHORT_RESULT;
  return make(
    "details",
    { class: "result", open: isShort },
    make("summary", null, "Tool result"),
    longText(value, "pre"),
  );
}

/** Return the text of `{content: "…"}`, and of a text that is JSON, what it says. */
function insideOf(result) {
  return parsed(isObject(result) && typeof result.content === "string" ? result.content : result);
}

function parsed(value) {
  if (typeof value !== "string" || value.length > MOST_PARSED) return value;
  try {
    const inside = JSON.parse(value);
    return typeof inside === "object" && inside !== null ? inside : value;
  } catch {
    return value;
  }
}

function serverLog(calls) {
  if (!calls.length) return null;
  const answered = (call) => [make("p", { class: "call-name" }, "answered"), longText(insideOf(call.result), "pre")];
  const items = calls.map((call) => {
    return make("li", null, toolCall(String(call.tool_name ?? "?"), call.args ?? {}, ...answered(call)));
  });
  const summary = make("summary", null, `What the tool servers logged (${calls.length})`);
  return make("details", { class: "server-log" }, summary, make("ol", null, items));
}
