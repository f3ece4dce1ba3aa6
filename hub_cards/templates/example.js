
// --- One example: its whole prompt, every output of every run, and all that every judge said.
// What the gallery does not show of it is unpacked from its block (see example_details.py).

const OPEN_REPLIES = 2;  // of more outputs than this, replies are folded

/** Return each example's number and its outputs' numbers, by id, in order. */
const examples = (() => {
  let found = null;
  return () => {
    if (found) return found;
    found = new Map();
    data.outputs.forEach((output, index) => {
      const id = word(data.prompts[output[1]][0]);
      if (!found.has(id)) found.set(id, { number: found.size, outputs: [] });
      found.get(id).outputs.push(index);
    });
    return found;
  };
})();

const unpacked = new Map();

/** Return what a block holds, once it is read and unpacked. */
function block(place) {
  if (!unpacked.has(place)) {
    unpacked.set(place, complete.then(() => {
      const packed = atob(byId(`packed-${place}`).textContent);
      const bytes = Uint8Array.from(packed, (character) => character.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      return new Response(stream).json();
    }));
  }
  return unpacked.get(place);
}

async function detailsOf(place) {
  return (await block(Math.floor(place / data.block)))[place % data.block];
}

/** Return the ids of the examples that the filters let through, in order. */
const sequence = () =>
  distinct(chosen().outputs.map((index) => word(data.prompts[data.outputs[index][1]][0])));

let opened = "";

async function showExample() {
  const id = state.example;
  byId("overview").hidden = Boolean(id);
  byId("example").hidden = !id;
  if (!id) {
    document.title = document.body.dataset.title ?? document.title;
    const links = [...byId("cards").querySelectorAll(".id")];
    links.find((link) => link.textContent === opened)?.focus({ preventScroll: true });
    opened = "";
    byId("example-body").replaceChildren();
    return;
  }
  document.body.dataset.title ??= document.title;
  const known = examples().get(id);
  showPlace(id);
  if (!known) {
    byId("example-title").textContent = "No such example";
    byId("example-body").replaceChildren(
      make("p", { class: "notice" }, `This report has no example ${JSON.stringify(id.slice(0, 200))}.`));
    return;
  }
  let details = null;
  let trouble = [];
  try {
    details = await detailsOf(known.number);
  } catch (error) {
    trouble = [make("p", { class: "notice" },
      `The prompt and the replies could not be unpacked (${error.name}): an older browser?`)];
  }
  if (state.example !== id) return;
  document.title = `${id} – ${document.body.dataset.title}`;
  byId("example-title").textContent = id;
  byId("example-body").replaceChildren(...trouble, ...partsOf(known, details));
  if (!opened) byId("example-title").focus({ preventScroll: true });
  opened = id;
}
listeners.push(showExample);

/** Show where the example stands among those that the filters let through. */
function showPlace(id) {
  const ids = sequence();
  const place = ids.indexOf(id);
  byId("example-back").href = addressOf({ ...state, example: "" });
  byId("example-place").textContent = place < 0
    ? "not among what the filters let through"
    : `${number.format(place + 1)} of ${number.format(ids.length)}${filtering() ? " found" : ""}`;
  byId("example-previous").disabled = place <= 0;
  byId("example-next").disabled = place >= ids.length - 1;
}

function go(step) {
  const ids = sequence();
  const next = ids[ids.indexOf(state.example) + step];
  if (next === undefined) return;
  show({ example: next, page: state.page });
  window.scrollTo(0, 0);
}

// Back to the gallery is back in the history, if one came from there: as far down as one was.
let fromGallery = false;
window.addEventListener("hashchange", (event) => {
  const before = new URLSearchParams(new URL(event.oldURL).hash.slice(1));
  fromGallery = Boolean(state.example) && !before.has("example");
});
byId("example-back").addEventListener("click", (event) => {
  if (!fromGallery || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  history.back();
});
const leave = () => byId("example-back").click();

// --- The parts of its page.

function partsOf({ outputs }, details) {
  const prompt = data.prompts[data.outputs[outputs[0]][1]];
  const [, task, shots, , , target, object, attribute, description] = prompt;
  const types = distinct(outputs.map((index) => data.runs[data.outputs[index][0]].prompt_type));
  const right = `${word(attribute)} ${word(object)}`;
  return [
    make("p", { class: "subtitle" },
      `${word(task)} · ${shots} shots · ${types.join(" and ")} ${types.length > 1 ? "prompts" : "prompt"}`),
    make("div", { class: "sides" },
      make("div", {}, ...(details?.prompts ?? []).flatMap((one) => promptOf(one, details.prompts))),
      make("section", { class: "wanted", "aria-labelledby": "wanted" },
        make("h2", { id: "wanted" }, "What is right"),
        picture(target, `the right picture: ${right}`),
        make("p", {}, make("b", {}, make("bdi", {}, right))),
        description < 0 ? null : make("p", { class: "target" }, make("bdi", {}, word(description))))),
    make("h2", {}, outputs.length > 1 ? `${outputs.length} outputs` : "The output"),
    make("div", { class: "outputs" },
      ...outputs.map((index, place) => outputOf(data.outputs[index], details?.outputs[place],
        outputs.length <= OPEN_REPLIES))),
  ];
}

/** Return a prompt as it was given, in reading order; of several, with the runs that had it. */
function promptOf({ runs, messages, followup }, all) {
  const of = all.length > 1 ? ` of ${runs.map((run) => data.runs[run].label).join(", ")}` : "";
  const said = messages.map(([role, content]) => make("div", { class: `message ${role}` },
    messages.length > 1 || role !== "user" ? make("h3", {}, role) : null,
    make("div", { class: "parts", dir: "auto" }, ...content.map((part) => (typeof part === "number"
      ? picture(part, "a picture of the prompt") : make("span", {}, part))))));
  if (followup !== null) {
    said.push(make("div", { class: "message user" },
      make("h3", {}, "user, after the reply"), make("div", { class: "parts" }, make("span", {}, followup))));
  }
  return [make("section", { class: "asking" }, make("h2", {}, "Prompt", make("bdi", {}, of)), ...said)];
}

function outputOf(output, details, open) {
  const [, , , , , , object, attribute] = data.prompts[output[1]];
  const facts = details?.facts ?? [];
  return make("article", { class: `card whole ${outcomeOf(output)}` },
    make("header", {}, ...whose(output),
      make("span", { class: "of" }, `${data.runs[output[0]].output} output`),
      make("span", { class: "outcome" }, saidOutcome(output))),
    make("div", { class: "spread" },
      make("div", {}, given(output, { text: details?.text ?? null, whole: true }), listed(facts)),
      make("div", { class: "judges" }, ...data.judges.map((name, judge) =>
        judged(output, judge, name, details?.raw[judge] ?? [], { object, attribute, open })))));
}

/** Return one judge's verdict on an output, with what it said word for word. */
function judged(output, judge, name, raw, { object, attribute, open }) {
  const verdict = verdictOf(output, judge);
  const outcome = outcomeOf(output, judge);
  return make("section", { class: `judged ${outcome}` },
    make("h3", {}, make("bdi", {}, name), make("span", { class: "outcome" }, saidOutcome(output, judge))),
    ...(verdict ? answers(verdict, object, attribute) : []),
    raw.length ? make("details", { open }, make("summary", {}, "As it replied"), listed(raw)) : null);
}

/** Return names and values as a list, or nothing. */
function listed(pairs) {
  return pairs.length ? make("dl", { class: "raw" }, ...pairs.map(([name, value]) =>
    make("div", {}, make("dt", {}, make("bdi", {}, name)),
      make("dd", { dir: "auto" }, value)))) : null;
}

// --- Its buttons and keys.

async function copy(text, button) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(byId("example-title"));
    button.textContent = "Select and copy";
  }
  setTimeout(() => { button.textContent = before; }, 1500);
}
byId("example-copy").addEventListener("click", (event) => copy(state.example, event.target));
byId("example-link").addEventListener("click", (event) => copy(location.href, event.target));
byId("example-previous").addEventListener("click", () => go(-1));
byId("example-next").addEventListener("click", () => go(1));

/** Give a key another meaning while an example is open. */
function within(key, action) {
  const outside = KEYS[key];
  KEYS[key] = () => (state.example ? action() : outside?.());
}
within("ArrowRight", () => go(1));
within("ArrowLeft", () => go(-1));
within("j", () => go(1));
within("k", () => go(-1));
within("/", leave);
within("Escape", leave);
within("c", () => byId("example-copy").click());
