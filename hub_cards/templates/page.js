"use strict";
// What the pages share: their state, tables that sort, keys, light and dark. Text reaches a page
// through textContent only.

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

/** Comes true when all of the page is read, the blocks after this script too. */
const complete = new Promise((done) => {
  document.addEventListener("DOMContentLoaded", done, { once: true });
});

// --- What is shown, kept in the address: a link to this page shows the same.

// The script that follows says: `DEFAULTS`, what a page without an address shows; `SECTIONS`, its
// anchors, with `place` for where each is; `KEPT`, what stays when an address does not name it.
let state = {};
const listeners = [];
const tell = () => listeners.forEach((listener) => listener());

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
function show(changes) {
  state = { ...state, page: "1", ...changes };
  history.replaceState(history.state, "", addressOf(state));
  tell();
}

// Who follows a link within the page and comes back finds it scrolled as it was.
document.addEventListener("click", (event) => {
  if (event.target.closest?.('a[href^="#"]')) {
    history.replaceState({ ...history.state, y: window.scrollY }, "");
  }
}, true);

window.addEventListener("hashchange", () => {
  const target = location.hash.slice(1);
  if (SECTIONS.includes(target)) {
    if (state.example) state = { ...state, example: "" };
    history.replaceState(history.state, "", addressOf(state));
    tell();
    place(target).scrollIntoView();
    return;
  }
  const next = stateOf(location.hash);
  for (const name of KEPT) if (!next[name]) next[name] = state[name];
  state = next;
  tell();
  const before = history.state?.y;
  if (before !== undefined) window.scrollTo(0, before);
  else if (state.example) window.scrollTo(0, 0);
  else byId("gallery").scrollIntoView();
});

// --- Score tables, sorted by any column: lines within their group, and groups, which have a line
// of their own above, by the line that is then their first.

function cellValue(row, column) {
  const value = row.cells[column]?.dataset.value ?? "";
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
  const isLine = (row) => !row.classList.contains("group");
  for (const body of table.tBodies) body.append(...[...body.rows].filter(isLine).sort(order));
  const first = (body) => [...body.rows].find(isLine);
  const inOrder = (a, b) => isText
    ? Number(a.dataset.place) - Number(b.dataset.place) : order(first(a), first(b));
  const groups = [...table.tBodies].filter((body) => body.rows.length && !isLine(body.rows[0]));
  const isMean = (body) => body.classList.contains("means");
  table.append(...groups.filter(isMean).sort(inOrder),
    ...groups.filter((body) => !isMean(body)).sort(inOrder));
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
function turnTheme() {
  theme = (theme + 1) % THEMES.length;
  document.documentElement.dataset.theme = THEMES[theme];
  byId("theme").textContent = `Theme: ${THEMES[theme]}`;
}
byId("theme").addEventListener("click", turnTheme);

// --- Keys. `KEYS` says what each does; the scripts that follow add theirs.

const KEYS = { t: turnTheme, "?": () => byId("keys").showModal() };
const ARROWS = ["ArrowLeft", "ArrowRight"];
byId("help").hidden = false;
byId("help").addEventListener("click", KEYS["?"]);
byId("close").addEventListener("click", () => byId("keys").close());
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
  const within = (selector) => event.target.closest?.(selector);
  if (within("input, select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (ARROWS.includes(event.key) && within(".scroll, [role=tablist]")) return;
  if (!Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
});
