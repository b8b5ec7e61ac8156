// The panel in which a cell or a run opens. It is a modal dialog, so the browser keeps the keyboard inside
// and gives the focus back to the link when it closes.

const panel = byId("detail");
const panelTitle = byId("detail-title");
const panelBody = byId("detail-body");
let shownAt = ""; // the address that opened what is shown

function openPanel(title, content) {
  shownAt = location.hash;
  fill(panelTitle, title);
  fill(panelBody, content);
  if (!panel.open) panel.showModal();
  panel.scrollTop = 0;
  if (!goToFailedTurn()) panelTitle.focus({ preventScroll: true });
}

/** Bring the turn that failed to the reader, and say whether there is one. */
function goToFailedTurn() {
  const heading = panelBody.querySelector(".turn.failed h4");
  heading?.focus({ preventScroll: true });
  heading?.closest(".turn").scrollIntoView({ block: "start" });
  return heading !== null;
}

function openRun(asked) {
  const place = runs().get(asked);
  if (place) return openPanel(["Run ", name(runWord(place.run))], runView(place));
  const sentence = make("p", null, "This report has no run ", make("code", null, name(asked)), ".");
  return openPanel("No such run", [sentence]);
}

function openCell(scenario, label) {
  const row = report().scenarios.find((one) => rowName(one) === scenario);
  const cell = row && cellOf(row, label);
  if (cell) return openPanel(name(scenario), cellView({ scenario, label, cell }));
  return openPanel("Not run", [make("p", null, name(scenario), " has no runs under ", name(label), ".")]);
}

byId("detail-close").addEventListener("click", () => panel.close());
// A click beside the panel hits the panel's own element, and nothing in it.
panel.addEventListener("click", (event) => event.target === panel && panel.close());
panel.addEventListener("close", () => {
  // The event comes later: something else may have been opened since, or be in the address and about to.
  if (panel.open) return;
  fill(panelBody);
  if (location.hash === shownAt) forgetDetail();
});
