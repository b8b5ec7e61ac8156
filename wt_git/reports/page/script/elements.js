// Making elements. Everything that an agent wrote is text and stays text: nothing on the page is made
// from a string of HTML, and the policy of the page forbids the browser to do so.

const CUT = 4000; // characters of a text that are shown at first
const PIECE = 50_000; // characters that are laid out together, once all of a text is shown
const MOST_MARKS = 300; // of unseen characters in one text, before they are written without a box
// The same list as in values.py.
const UNSEEN =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]+/gu;

const byId = (id) => document.getElementById(id);

/** Make an element; what is no element among `children` becomes text, nothing is left out. */
function make(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  return fill(made, ...children);
}

/** Put `children` into `parent`, instead of what it held. */
function fill(parent, ...children) {
  parent.replaceChildren();
  for (const child of children.flat()) {
    if (child == null || child === false) continue;
    parent.append(child instanceof Node ? child : shown(String(child)));
  }
  return parent;
}

/** Return a text with its invisible characters written as U+202E and the like. */
function shown(text) {
  const lines = text.replaceAll("\r\n", "\n");
  const parts = document.createDocumentFragment();
  let end = 0;
  let marks = 0;
  for (const { 0: unseen, index } of lines.matchAll(UNSEEN)) {
    if (++marks > MOST_MARKS) break;
    const mark = document.createElement("span");
    mark.className = "unseen";
    mark.textContent = codePoints(unseen);
    parts.append(lines.slice(end, index), mark);
    end = index + unseen.length;
  }
  parts.append(lines.slice(end).replace(UNSEEN, (unseen) => `[${codePoints(unseen)}]`));
  return parts;
}

/** Return the numbers of characters; of one that is repeated, how often. */
function codePoints(unseen) {
  return unseen
    .match(/(.)\1*/gsu)
    .map((same) => {
      const number = same.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
      const count = Array.from(same).length;
      return `U+${number}${count > 1 ? `×${count}` : ""}`;
    })
    .join(" ");
}

/** Return a name that a user chose, in its own direction; it may break behind its words. */
function name(text, most = 200) {
  const words = shortened(String(text), most).split(/(?<=[_/.:])(?=[^_/.:])/);
  return make("bdi", null, words.flatMap((word, index) => (index ? [make("wbr"), word] : [word])));
}

function shortened(text, most) {
  if (text.length <= most) return text;
  return `${text.slice(0, wholeEnd(text, most))} … (${grouped(text.length)} characters)`;
}

/** Return `end`, or one more where it would divide a character that takes two places. */
const wholeEnd = (text, end) => (/[\udc00-\udfff]/.test(text[end] ?? "") ? end + 1 : end);

const grouped = (number) => number.toLocaleString("en-US");

/** Return a value as text of any length: the end of a long one waits behind a button. */
function longText(value, tag = "div") {
  const text = typeof value === "string" ? value : pretty(value);
  const body = make(tag, { class: "text", dir: "auto" });
  if (text.length <= CUT) return fill(body, text);
  const button = make("button", { type: "button", class: "more" });
  const show = (all) => {
    fill(body, all ? piecesOf(text) : `${text.slice(0, wholeEnd(text, CUT))} …`);
    button.textContent = all
      ? `Show the first ${grouped(CUT)} characters`
      : `Show all ${grouped(text.length)} characters`;
    button.setAttribute("aria-expanded", String(all));
  };
  button.addEventListener("click", () => show(button.getAttribute("aria-expanded") !== "true"));
  show(false);
  return make("div", null, body, button);
}

/** Return a long text in pieces, of which the browser lays out those that are in view. */
function piecesOf(text) {
  const pieces = [];
  for (let start = 0, end; start < text.length; start = end) {
    end = Math.min(start + PIECE, text.length);
    const line = text.lastIndexOf("\n", end - 1) + 1;
    if (end < text.length) end = line > start ? line : wholeEnd(text, end);
    pieces.push(make("span", { class: "piece" }, text.slice(start, end)));
  }
  return pieces;
}

const pretty = (value) => JSON.stringify(value, null, 2) ?? "";

/** Return a table that can be scrolled by keyboard; the first cell of a row is its name. */
function table(caption, heads, rows) {
  const head = make("tr", null, heads.map((text) => make("th", { scope: "col" }, text)));
  const body = rows.map(([first, ...rest]) => {
    const cells = rest.map((cell) => make("td", null, cell));
    return make("tr", null, make("th", { scope: "row" }, first), cells);
  });
  const made = make(
    "table",
    null,
    make("caption", { class: "visually-hidden" }, caption),
    make("thead", null, head),
    make("tbody", null, body),
  );
  return make("div", { class: "frame", tabindex: "0", role: "region", "aria-label": caption }, made);
}

/** Return names with their values; a value of null or of no characters is left out. */
function facts(pairs) {
  const known = pairs.filter(([, value]) => value != null && value !== "" && value !== false);
  const items = known.map(([key, value]) => {
    return make("div", null, make("dt", null, key), make("dd", null, value));
  });
  return make("dl", { class: "pairs" }, items);
}
