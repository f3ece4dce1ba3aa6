
// --- The gallery: filters over tables of numbers (see gallery.py), one page of cards at a time.

const PAGE_SIZE = 24;
const OUTCOMES = [
  ["all", "All"], ["right", "Right"], ["wrong", "Wrong"],
  ["unscored", "Unscored"], ["failed", "Failed or blocked"], ["open", "Not judged yet"],
  ["judge-failed", "Judge failed"],
];
const RARE = ["open", "judge-failed"];  // without a chip where there is none
const word = (index) => (index < 0 ? "" : data.strings[index]);

/** Return what a judge said of an output, or null. */
function verdictOf(output, judge = judgeNumber()) {
  const index = output[7][judge];
  return index === undefined || index < 0 ? null : data.verdicts[index];
}

function outcomeOf(output, judge = judgeNumber()) {
  const status = data.statuses[output[2]];
  if (status === "error" || status === "blocked") return "failed";
  const verdict = verdictOf(output, judge);
  if (status === "missing" || !verdict) return "open";
  if (data.states[verdict[0]] === "unscored") return "unscored";
  if (data.states[verdict[0]] === "error") return "judge-failed";
  return verdict[3] === 1 && verdict[4] === 1 ? "right" : "wrong";
}

/** Return "agree" or "differ" where two judges or more call an output right or wrong, else "". */
function agreement(output) {
  const outcomes = data.judges.map((_, judge) => outcomeOf(output, judge));
  const found = outcomes.filter((outcome) => outcome === "right" || outcome === "wrong");
  if (found.length < 2) return "";
  return new Set(found).size > 1 ? "differ" : "agree";
}

// --- Search: every text, prompt and verdict is looked at once for each word.

let lowered = null;
const searched = new Map();

function places(term) {
  if (searched.has(term)) return searched.get(term);
  if (searched.size > 30) searched.clear();
  lowered ??= data.strings.map((text) => text.toLowerCase());
  const texts = Uint8Array.from(lowered, (text) => text.includes(term));
  const prompts = Uint8Array.from(data.prompts, (prompt) =>
    texts[prompt[0]] || texts[prompt[4]] || texts[prompt[6]] || texts[prompt[7]]
    || texts[prompt[8]] || prompt[3].some((pair) => texts[pair[1]]));
  const verdicts = Uint8Array.from(data.verdicts, (verdict) =>
    texts[verdict[1]] || texts[verdict[2]] || texts[verdict[5]]);
  searched.set(term, { texts, prompts, verdicts });
  return searched.get(term);
}

/** Return the numbers of the outputs that all filters but the outcome's let through. */
function filtered() {
  const terms = state.q.toLowerCase().split(/\s+/).filter(Boolean).map(places);
  const judge = judgeNumber();
  const found = [];
  data.outputs.forEach((output, index) => {
    const prompt = data.prompts[output[1]];
    if (state.run && String(output[0]) !== state.run) return;
    if (state.task && word(prompt[1]) !== state.task) return;
    if (state.shots && String(prompt[2]) !== state.shots) return;
    if (state.type && data.runs[output[0]].prompt_type !== state.type) return;
    if (state.judges && agreement(output) !== state.judges) return;
    if (!terms.every(({ texts, prompts, verdicts }) => prompts[output[1]]
      || texts[output[3]] || texts[output[6]] || verdicts[output[7][judge]])) return;
    found.push(index);
  });
  return found;
}

let lastChosen = { key: "" };

/** Return what the filters let through: outputs by outcome, and those of the chosen one. */
function chosen() {
  const key = addressOf({ ...state, example: "", page: "1" });
  if (lastChosen.key === key) return lastChosen;
  const found = filtered();
  const byOutcome = new Map(OUTCOMES.map(([name]) => [name, []]));
  for (const index of found) byOutcome.get(outcomeOf(data.outputs[index])).push(index);
  byOutcome.set("all", found);
  const outcome = byOutcome.has(state.show) ? state.show : "all";
  lastChosen = { key, byOutcome, outcome, outputs: byOutcome.get(outcome) };
  return lastChosen;
}

function showGallery() {
  if (state.example) return;
  const { byOutcome, outcome, outputs } = chosen();
  showChips(OUTCOMES.filter(([name]) =>
    !RARE.includes(name) || byOutcome.get(name).length || outcome === name), byOutcome, outcome);
  const sampled = data.runs.some((run) => run.samples > 1);
  showPage(outputs, PAGE_SIZE, card,
    { things: sampled ? " outputs" : "", none: "No example matches." });
}
listeners.push(showGallery);

function card(index) {
  const output = data.outputs[index];
  const [id, , , demonstrations, query, target, object, attribute, description] =
    data.prompts[output[1]];
  const [run] = output;
  const strip = make("ol", { class: "prompt" },
    ...demonstrations.map(([shown, piece]) => make("li", {},
      picture(shown, ""), make("bdi", {}, word(piece)))),
    make("li", { class: "query" }, make("span", { class: "asked" }, "?"),
      make("bdi", {}, word(query))));
  const verdict = verdictOf(output);
  const aside = make("div", { class: "judgement" },
    make("div", { class: "expected" }, picture(target, ""),
      make("span", {}, make("small", {}, "expected"),
        make("bdi", {}, `${word(attribute)} ${word(object)}`))),
    ...(verdict ? answers(verdict, object, attribute) : []));
  const isDescription = data.runs[run].output === "description";
  return make("article", { class: `card ${outcomeOf(output)}` },
    make("header", {},
      make("a", { class: "id", href: addressOf({ ...state, example: word(id) }),
        title: "the whole example" }, word(id)),
      ...whose(output),
      make("span", { class: "outcome" }, saidOutcome(output))),
    strip,
    make("div", { class: "result" }, given(output), aside),
    isDescription && description >= 0
      ? make("p", { class: "target" }, make("small", {}, "expected "), make("bdi", {}, word(description)))
      : null);
}
