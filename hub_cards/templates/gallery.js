
// --- The gallery: filters over tables of numbers (see gallery.py), one page of cards at a time.

const PAGE_SIZE = 24;
const OUTCOMES = [
  ["all", "All"], ["right", "Right"], ["wrong", "Wrong"],
  ["unscored", "Unscored"], ["failed", "Failed or blocked"], ["open", "Not judged yet"],
  ["judge-failed", "Judge failed"],
];
const RARE = ["open", "judge-failed"];  // without a chip where there is none
const data = read(byId("data"));
const word = (index) => (index < 0 ? "" : data.strings[index]);
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

const verdictOf = (output) => {
  const index = output[7][judgeNumber()];
  return index === undefined || index < 0 ? null : data.verdicts[index];
};

function outcomeOf(output) {
  const status = data.statuses[output[2]];
  if (status === "error" || status === "blocked") return "failed";
  const verdict = verdictOf(output);
  if (status === "missing" || !verdict) return "open";
  if (data.states[verdict[0]] === "unscored") return "unscored";
  if (data.states[verdict[0]] === "error") return "judge-failed";
  return verdict[3] === 1 && verdict[4] === 1 ? "right" : "wrong";
}

const haystacks = new Array(data.outputs.length);
function haystack(index) {
  if (haystacks[index] === undefined) {
    const output = data.outputs[index];
    const prompt = data.prompts[output[1]];
    const verdict = verdictOf(output) ?? [];
    haystacks[index] = [
      word(prompt[0]), ...prompt[3].map((pair) => word(pair[1])), word(prompt[4]),
      `${word(prompt[7])} ${word(prompt[6])}`, word(output[3]), word(output[6]),
      word(verdict[1] ?? -1), word(verdict[2] ?? -1), word(verdict[5] ?? -1),
    ].join("\n").toLowerCase();
  }
  return haystacks[index];
}

/** Return the numbers of the outputs that all filters but the outcome's let through. */
function filtered() {
  const terms = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  data.outputs.forEach((output, index) => {
    const prompt = data.prompts[output[1]];
    if (state.run && String(output[0]) !== state.run) return;
    if (state.task && word(prompt[1]) !== state.task) return;
    if (state.shots && String(prompt[2]) !== state.shots) return;
    if (terms.length && !terms.every((term) => haystack(index).includes(term))) return;
    found.push(index);
  });
  return found;
}

let judgeShown = -1;
let pageCount = 1;

function showGallery() {
  if (judgeShown !== judgeNumber()) {
    judgeShown = judgeNumber();
    haystacks.fill(undefined);
  }
  const found = filtered();
  const byOutcome = new Map(OUTCOMES.map(([name]) => [name, []]));
  for (const index of found) byOutcome.get(outcomeOf(data.outputs[index])).push(index);
  byOutcome.set("all", found);
  const chosen = byOutcome.has(state.show) ? state.show : "all";
  const shown = byOutcome.get(chosen);

  byId("outcomes").replaceChildren(...OUTCOMES
    .filter(([name]) => !RARE.includes(name) || byOutcome.get(name).length || chosen === name)
    .map(([name, label]) => make("button", {
      type: "button", class: `chip ${name} ${byOutcome.get(name).length ? "" : "none"}`,
      "aria-pressed": String(name === chosen),
      onclick: () => { show({ show: name }); byId("outcomes").querySelector(`.${name}`).focus(); },
    }, label, make("small", {}, number.format(byOutcome.get(name).length)))));
  for (const name of ["run", "task", "shots", "q"]) {
    if (form.elements[name].value !== state[name]) form.elements[name].value = state[name];
  }

  pageCount = Math.max(1, Math.ceil(shown.length / PAGE_SIZE));
  const page = Math.min(pageCount, Math.max(1, Number.parseInt(state.page, 10) || 1));
  state.page = String(page);
  const first = (page - 1) * PAGE_SIZE;
  const last = Math.min(shown.length, first + PAGE_SIZE);
  byId("found").textContent = shown.length
    ? `${number.format(first + 1)} to ${number.format(last)} of ${number.format(shown.length)}` +
      (data.runs.some((run) => run.samples > 1) ? " outputs" : "")
    : "No example matches.";
  byId("page").value = page;
  byId("page").max = pageCount;
  byId("pages").textContent = number.format(pageCount);
  byId("previous").disabled = page <= 1;
  byId("next").disabled = page >= pageCount;
  byId("cards").replaceChildren(...shown.slice(first, last).map((index) => card(index)));
}
listeners.push(showGallery);

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

function answer(name, said, right, expected) {
  const mark = { 1: ["✓", "right"], 0: ["✗", "wrong"] }[right] ?? ["?", "unscored"];
  return make("div", { class: `answer ${mark[1]}` },
    make("dt", {}, name),
    make("dd", {}, make("bdi", {}, said || "no answer"),
      make("span", { class: "mark", role: "img", "aria-label": mark[1] }, mark[0]),
      right === 0 ? make("small", {}, "not ", make("bdi", {}, expected)) : null));
}

function card(index) {
  const output = data.outputs[index];
  const [id, task, shots, demonstrations, query, target, object, attribute, description] =
    data.prompts[output[1]];
  const [run, , status, text, shown, address, reason, , sample, inMajority] = output;
  const outcome = outcomeOf(output);
  const verdict = verdictOf(output);
  const expected = `${word(attribute)} ${word(object)}`;
  const label = {
    right: "right", wrong: "wrong", unscored: "unscored", open: "not judged yet",
    "judge-failed": "the judge failed",
  };
  const badge = { error: "failed", blocked: "blocked", missing: "no prediction yet" };

  const strip = make("ol", { class: "prompt" },
    ...demonstrations.map(([index, piece]) => make("li", {},
      picture(index, ""), make("bdi", {}, word(piece)))),
    make("li", { class: "query" }, make("span", { class: "asked" }, "?"),
      make("bdi", {}, word(query))));

  const out = make("div", { class: "output" });
  if (shown >= 0) out.append(picture(shown, "the model's output", word(address)));
  if (text >= 0) {
    out.append(word(text).trim() ? written(word(text), "text")
      : make("span", { class: "nothing" }, "an empty text"));
  }
  if (reason >= 0) out.append(written(word(reason), "reason"));
  if (!out.childNodes.length) out.append(make("span", { class: "nothing" }, "nothing"));

  const aside = make("div", { class: "judgement" },
    make("div", { class: "expected" }, picture(target, ""),
      make("span", {}, make("small", {}, "expected"), make("bdi", {}, expected))));
  if (verdict) {
    aside.append(make("dl", {},
      answer("object", word(verdict[1]), verdict[3], word(object)),
      answer("attribute", word(verdict[2]), verdict[4], word(attribute))));
    if (verdict[5] >= 0) aside.append(written(word(verdict[5]), "reason"));
  }
  const isDescription = data.runs[run].output === "description";
  return make("article", { class: `card ${outcome}` },
    make("header", {},
      make("a", { class: "id", href: addressOf({ ...DEFAULTS, judge: state.judge, q: word(id) }) },
        word(id)),
      sample ? make("span", { class: "of" }, `sample ${sample} of ${data.runs[run].samples}`,
        inMajority[judgeNumber()] ? make("span", { class: "vote", role: "img",
          title: "shows what most outputs of this example show",
          "aria-label": "in the majority" }, "★") : null) : null,
      data.runs.length > 1 ? make("bdi", { class: "of" }, data.runs[run].label) : null,
      make("span", { class: "outcome" },
        badge[data.statuses[status]] ?? label[outcome])),
    strip,
    make("div", { class: "result" }, out, aside),
    isDescription && description >= 0
      ? make("p", { class: "target" }, make("small", {}, "expected "), make("bdi", {}, word(description)))
      : null);
}

// --- Choices, keys.

function fill(name, values, labels = values) {
  form.elements[name].replaceChildren(make("option", { value: "" }, "all"),
    ...values.map((value, index) => make("option", { value }, labels[index])));
  form.elements[name].addEventListener("change", (event) => show({ [name]: event.target.value }));
}
const distinct = (values) => [...new Set(values)];
fill("run", data.runs.map((_, index) => String(index)), data.runs.map((run) => run.label));
fill("task", distinct(data.prompts.map((prompt) => word(prompt[1]))));
fill("shots", distinct(data.prompts.map((prompt) => prompt[2])).sort((a, b) => a - b).map(String));

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

form.hidden = false;
byId("pager").hidden = false;
if (!SECTIONS.includes(location.hash.slice(1))) state = stateOf(location.hash);
listeners.forEach((listener) => listener());
if (location.hash.includes("=")) byId("gallery").scrollIntoView();
