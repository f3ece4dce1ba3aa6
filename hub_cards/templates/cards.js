
// --- Cards, one page of them at a time: pictures, texts, choices, keys.

const data = read(byId("data"));
const form = byId("filters");
const number = new Intl.NumberFormat("en");

// Thumbnails are read in chunks, when a page first shows one of them.
const chunks = [...document.querySelectorAll("script.thumbnails")].map((element) => ({ element }));
function thumbnail(index) {
  const chunk = chunks[Math.floor(index / data.chunk)];
  if (index < 0 || !chunk) return "";
  chunk.list ??= read(chunk.element);
  return chunk.list[index % data.chunk];
}

function picture(index, label, address = "") {
  const source = thumbnail(index);
  const frame = source
    ? make("img", { src: `data:image/webp;base64,${source}`, alt: label, decoding: "async" })
    : make("span", { class: "nothing" }, index < 0 ? "no picture" : "unreadable picture");
  return address
    ? make("a", { href: address, target: "_blank", rel: "noopener", title: "the whole picture" }, frame)
    : frame;
}

/** Text that a model or a judge wrote: isolated, broken anywhere, folded when long. */
function written(text, name) {
  const body = make("p", { class: `written ${name}`, dir: "auto" }, text);
  if (text.length <= 280) return body;
  body.classList.add("folded");
  const more = make("button", { type: "button", class: "more", onclick: () => {
    const folded = body.classList.toggle("folded");
    more.textContent = folded ? "Show all" : "Show less";
  } }, "Show all");
  return make("div", {}, body, more);
}

let pageCount = 1;

/** Show the chips of outcomes: [name, label] each, with how many there are of it. */
function showChips(outcomes, byOutcome, chosen) {
  byId("outcomes").replaceChildren(...outcomes.map(([name, label]) => make("button", {
    type: "button", class: `chip ${name} ${byOutcome.get(name).length ? "" : "none"}`,
    "aria-pressed": String(name === chosen),
    onclick: () => { show({ show: name }); byId("outcomes").querySelector(`.${name}`).focus(); },
  }, label, make("small", {}, number.format(byOutcome.get(name).length)))));
}

/** Show the page of cards that the state names. */
function showPage(shown, size, card, { things = "", none }) {
  for (const field of form.querySelectorAll("[name]")) {
    if (field.value !== state[field.name]) field.value = state[field.name];
  }
  pageCount = Math.max(1, Math.ceil(shown.length / size));
  const page = Math.min(pageCount, Math.max(1, Number.parseInt(state.page, 10) || 1));
  state.page = String(page);
  const first = (page - 1) * size;
  const last = Math.min(shown.length, first + size);
  byId("found").textContent = shown.length
    ? `${number.format(first + 1)} to ${number.format(last)} of ${number.format(shown.length)}${things}`
    : none;
  byId("page").value = page;
  byId("page").max = pageCount;
  byId("pages").textContent = number.format(pageCount);
  byId("previous").disabled = page <= 1;
  byId("next").disabled = page >= pageCount;
  byId("cards").replaceChildren(...shown.slice(first, last).map((index) => card(index)));
}

function fill(name, values, labels = values) {
  form.elements[name].replaceChildren(make("option", { value: "" }, "all"),
    ...values.map((value, index) => make("option", { value }, labels[index])));
  form.elements[name].addEventListener("change", (event) => show({ [name]: event.target.value }));
}
const distinct = (values) => [...new Set(values)];

let waiting = 0;
form.elements.q.addEventListener("input", (event) => {
  clearTimeout(waiting);
  waiting = setTimeout(() => show({ q: event.target.value }), 150);
});
form.addEventListener("submit", (event) => event.preventDefault());

function turn(step, { scroll = false } = {}) {
  const page = Math.min(pageCount, Math.max(1, Number(state.page) + step));
  if (String(page) !== state.page) show({ page: String(page) });
  if (scroll) byId("gallery").scrollIntoView();
}
byId("previous").addEventListener("click", () => turn(-1));
byId("next").addEventListener("click", () => turn(1));
byId("page").addEventListener("change", (event) => show({ page: event.target.value }));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.("input, select, textarea, .scroll")) return;
  if (event.key === "ArrowRight") turn(1, { scroll: true });
  else if (event.key === "ArrowLeft") turn(-1, { scroll: true });
  else if (event.key === "/") form.elements.q.focus();
  else return;
  event.preventDefault();
});

/** Show what the address says, once all is there. */
function begin() {
  form.hidden = false;
  byId("pager").hidden = false;
  if (!SECTIONS.includes(location.hash.slice(1))) state = stateOf(location.hash);
  listeners.forEach((listener) => listener());
  if (location.hash.includes("=")) byId("gallery").scrollIntoView();
}
