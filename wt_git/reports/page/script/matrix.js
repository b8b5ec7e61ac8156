// Finding rows of the matrix.

const matrix = byId("matrix");

function filterRows() {
  const wanted = byId("matrix-search").value.trim().toLowerCase();
  const isUncleanOnly = byId("matrix-unclean").checked;
  const rows = [...matrix.tBodies[0].rows];
  for (const row of rows) {
    const isNamed = row.cells[0].textContent.toLowerCase().includes(wanted);
    row.hidden = !isNamed || (isUncleanOnly && row.hasAttribute("data-clean"));
  }
  const count = rows.filter((row) => !row.hidden).length;
  byId("matrix-count").textContent = `${count} of ${rows.length} shown`;
}

if (matrix) {
  byId("matrix-search").addEventListener("input", filterRows);
  byId("matrix-unclean").addEventListener("change", filterRows);
}
for (const form of document.querySelectorAll("form")) {
  form.addEventListener("submit", (event) => event.preventDefault());
}
