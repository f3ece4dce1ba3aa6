
// --- The gallery: filters over tables of numbers (see gallery.py), one page of cards at a time.

const PAGE_SIZE = 24;
const OUTCOMES = [
  ["all", "All"], ["right", "Right"], ["wrong", "Wrong"],
  ["unscored", "Unscored"], ["failed", "Failed or blocked"], ["open", "Not judged yet"],
  ["judge-failed", "Judge failed"],
];
const RARE = ["open", "judge-failed"];  // without a chip where there is none
const word = (index) => (index < 0 ? "" : data.strings[index]);

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

  showChips(OUTCOMES.filter(([name]) =>
    !RARE.includes(name) || byOutcome.get(name).length || chosen === name), byOutcome, chosen);
  const sampled = data.runs.some((run) => run.samples > 1);
  showPage(shown, PAGE_SIZE, card,
    { things: sampled ? " outputs" : "", none: "No example matches." });
}
listeners.push(showGallery);

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

// --- Choices.

fill("run", data.runs.map((_, index) => String(index)), data.runs.map((run) => run.label));
fill("task", distinct(data.prompts.map((prompt) => word(prompt[1]))));
fill("shots", distinct(data.prompts.map((prompt) => prompt[2])).sort((a, b) => a - b).map(String));
begin();
