// The open view is in the address behind the `#`: each view has a link, and Back closes it.
//
//   #scenario=…&label=…   a cell of the matrix
//   #run=…                a run: by its id, or by its path where two runs share an id
//   #compare=…&with=…     two labels

const asked = () => new URLSearchParams(location.hash.slice(1));

function route() {
  const keys = asked();
  if (keys.has("run")) openRun(keys.get("run"));
  else if (keys.has("scenario")) openCell(keys.get("scenario"), keys.get("label") ?? "");
  else if (panel.open) panel.close();
  if (keys.has("compare")) chooseLabels(keys.get("compare"), keys.get("with"));
}

/** Take a closed run or cell out of the address, without a step that Back would have to undo. */
function forgetDetail() {
  const keys = asked();
  if (!keys.has("run") && !keys.has("scenario")) return;
  history.replaceState(null, "", location.pathname + location.search);
}

byId("without-script").remove();
for (const control of document.querySelectorAll(".needs-script")) control.classList.remove("needs-script");
if (fromLabel) compare();
addEventListener("hashchange", route);
route();
