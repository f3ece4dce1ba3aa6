
// --- Cards, one page of them at a time: pictures, texts, choices, keys.

const data = read(byId("data"));
const form = byId("filters");
const number = new Intl.NumberFormat("en");

// Thumbnails stand in blocks after this script. A block is read when a page first shows one of its
// pictures; pictures whose block has not come yet are filled in when all has.
const blocks = [];
const waiting = [];

/** Return a thumbnail's address; "" where there is none; undefined where it has not come yet. */
function thumbnail(index) {
  if (index < 0) return "";
  const block = Math.floor(index / data.chunk);
  if (!blocks[block]) {
    const element = byId(`thumbnails-${block}`);
    if (document.readyState === "loading" && !element?.nextElementSibling) return undefined;
    blocks[block] = element ? read(element) : [];
  }
  const found = blocks[block][index % data.chunk];
  return found ? `data:image/webp;base64,${found}` : "";
}

const unreadable = (index) =>
  make("span", { class: "nothing" }, index < 0 ? "no picture" : "unreadable picture");

function picture(index, label) {
  const source = thumbnail(index);
  if (source === "") return unreadable(index);
  const image = make("img", { alt: label, decoding: "async" });
  if (source) image.src = source;
  else waiting.push([image, index]);
  return image;
}

complete.then(() => {
  for (const [image, index] of waiting.splice(0)) {
    const source = thumbnail(index);
    if (source) image.src = source;
    else image.replaceWith(unreadable(index));
  }
});

/** Text that a model or a judge wrote: isolated, broken anywhere, folded when long. */
function written(text, name, { fold = true } = {}) {
  const body = make("p", { class: `written ${name}`, dir: "auto" }, text);
  if (text.length <= 280 || !fold) return body;
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
  byId("clear").hidden = !filtering();
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

/** Fill a choice; where there is only one thing to choose, there is no choice. */
function fill(name, values, labels = values) {
  const field = form.elements[name];
  field.replaceChildren(make("option", { value: "" }, "all"),
    ...values.map((value, index) => make("option", { value }, labels[index])));
  field.closest("label").hidden = values.length < 2;
  field.addEventListener("change", (event) => show({ [name]: event.target.value }));
}
const distinct = (values) => [...new Set(values)];

const choices = () => Object.keys(DEFAULTS).filter((name) => form.elements[name] || name === "show");
const filtering = () => choices().some((name) => state[name] !== DEFAULTS[name]);
byId("clear").addEventListener("click", () => {
  show(Object.fromEntries(choices().map((name) => [name, DEFAULTS[name]])));
  byId("outcomes").querySelector(".chip").focus();
});

let typing = 0;
form.elements.q.addEventListener("input", (event) => {
  clearTimeout(typing);
  typing = setTimeout(() => show({ q: event.target.value }), 150);
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

/** Go to the card that is so many further on, by its link. */
function walk(step) {
  const links = [...byId("cards").querySelectorAll(".id")];
  const here = links.findIndex((link) => link.parentElement.parentElement.contains(document.activeElement));
  const next = here < 0 ? (step > 0 ? 0 : links.length - 1) : here + step;
  links[next]?.focus();
  links[next]?.scrollIntoView({ block: "nearest" });
}
Object.assign(KEYS, {
  ArrowRight: () => turn(1, { scroll: true }),
  ArrowLeft: () => turn(-1, { scroll: true }),
  j: () => walk(1),
  k: () => walk(-1),
  "/": () => { form.elements.q.focus(); form.elements.q.scrollIntoView({ block: "nearest" }); },
});

/** Show what the address says, once all scripts are there. */
function begin() {
  form.hidden = false;
  byId("pager").hidden = false;
  if (!SECTIONS.includes(location.hash.slice(1))) state = stateOf(location.hash);
  tell();
  if (location.hash.includes("=") && !state.example) byId("gallery").scrollIntoView();
}
