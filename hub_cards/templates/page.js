"use strict";
// What the pages share: their state, tables that sort, light and dark. Text reaches a page through
// textContent only.

const read = (element) => JSON.parse(element.textContent);
const byId = (id) => document.getElementById(id);

/** Make an element; strings among the children become text. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") element.className = value;
    else if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

// --- What is shown, kept in the address: a link to this page shows the same.

// The script that follows says: `DEFAULTS`, what a page without an address shows; `SECTIONS`, its
// anchors, with `place` for where each is; `KEPT`, what stays when an address does not name it.
let state = {};
const listeners = [];

function stateOf(hash) {
  const found = new URLSearchParams(hash.replace(/^#/, ""));
  const next = { ...DEFAULTS };
  for (const name of Object.keys(DEFAULTS)) if (found.has(name)) next[name] = found.get(name);
  return next;
}

function addressOf(shown) {
  const kept = new URLSearchParams();
  for (const [name, value] of Object.entries(shown)) {
    if (String(value) !== DEFAULTS[name]) kept.set(name, value);
  }
  return "#" + kept.toString();
}

/** Change what is shown; any change but of the page starts at page 1. */
function show(changes, { push = false } = {}) {
  state = { ...state, page: "1", ...changes };
  history[push ? "pushState" : "replaceState"](null, "", addressOf(state));
  listeners.forEach((listener) => listener());
}

window.addEventListener("hashchange", () => {
  const target = location.hash.slice(1);
  if (SECTIONS.includes(target)) {
    history.replaceState(null, "", addressOf(state));
    place(target).scrollIntoView();
    return;
  }
  const next = stateOf(location.hash);
  for (const name of KEPT) if (!next[name]) next[name] = state[name];
  state = next;
  listeners.forEach((listener) => listener());
  byId("gallery").scrollIntoView();
});

// --- Score tables, sorted by any column; means and tasks each among themselves.

function cellValue(row, column) {
  const value = row.cells[column].dataset.value;
  return value !== "" && Number.isFinite(Number(value)) ? Number(value) : value;
}

function sortTable(table, header, column) {
  const before = header.getAttribute("aria-sort");
  const isText = header.classList.contains("text");
  const ascending = before ? before === "descending" : isText;
  for (const other of header.parentElement.cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const order = (a, b) => {
    const [x, y] = [cellValue(a, column), cellValue(b, column)];
    const sign = typeof x === "number" && typeof y === "number"
      ? x - y : String(x).localeCompare(String(y), "en", { numeric: true });
    return ascending ? sign : -sign;
  };
  for (const body of table.tBodies) body.append(...[...body.rows].sort(order));
}

for (const table of document.querySelectorAll("table")) {
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    header.querySelector("button")?.addEventListener("click", () => {
      sortTable(table, header, column);
    });
  });
}

// --- Light and dark.

const THEMES = ["system", "light", "dark"];
let theme = 0;
byId("theme").addEventListener("click", () => {
  theme = (theme + 1) % THEMES.length;
  document.documentElement.dataset.theme = THEMES[theme];
  byId("theme").textContent = `Theme: ${THEMES[theme]}`;
});
