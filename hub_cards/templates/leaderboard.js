
// --- The questions: what every model answered, and the judge's marks (see leaderboard_gallery.py).

const PAGE_SIZE = 8;
const OUTCOMES = [
  ["all", "All"], ["win", "Win"], ["tie", "Tie"], ["loss", "Loss"], ["unscored", "Unscored"],
  ["failed", "Failed or blocked"], ["open", "Not judged yet"], ["judge-failed", "Judge failed"],
];
const RARE = ["unscored", "failed", "open", "judge-failed"];  // without a chip where there is none
const SAID = {
  win: "win", tie: "tie", loss: "loss", unscored: "unscored", failed: "no answer",
  open: "not judged yet", "judge-failed": "the judge failed",
};
const ROUNDS = [["reference_first", "reference first"], ["answer_first", "answer first"]];

/** Return the answers to a question that the choice of a model lets through. */
const answersOf = (question) => question.answers.filter(
  (answer) => !state.model || String(answer.run) === state.model);

const haystacks = data.questions.map((question) => [
  question.id, question.question, question.annotation, question.reference, question.subtask,
  ...question.answers.flatMap((answer) => [answer.text ?? "", answer.reason ?? "", answer.why ?? ""]),
].join("\n").toLowerCase());

/** Return the numbers of the questions that all filters but the outcome's let through. */
function filtered() {
  const terms = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  return [...data.questions.keys()].filter((index) => {
    const question = data.questions[index];
    if (state.category && !question.categories.includes(state.category)) return false;
    if (state.subtask && question.subtask !== state.subtask) return false;
    return terms.every((term) => haystacks[index].includes(term));
  });
}

function showQuestions() {
  const byOutcome = new Map(OUTCOMES.map(([name]) => [name, []]));
  const found = filtered();
  for (const index of found) {
    const outcomes = new Set(answersOf(data.questions[index]).map((answer) => answer.outcome));
    for (const outcome of outcomes) byOutcome.get(outcome).push(index);
  }
  byOutcome.set("all", found);
  const chosen = byOutcome.has(state.show) ? state.show : "all";
  showChips(OUTCOMES.filter(([name]) =>
    !RARE.includes(name) || byOutcome.get(name).length || chosen === name), byOutcome, chosen);
  showPage(byOutcome.get(chosen), PAGE_SIZE, card,
    { things: " questions", none: "No question matches." });
}
listeners.push(showQuestions);

function folded(summary, ...texts) {
  return make("details", {}, make("summary", {}, summary),
    ...texts.map((text) => make("p", { class: "written", dir: "auto" }, text)));
}

const mark = (value) => (value === undefined ? "–" : String(value));

function marks(answer) {
  const rows = ROUNDS.map(([order, name]) => {
    const [own, reference] = answer.marks?.[order] ?? [];
    return make("tr", {}, make("th", { scope: "row" }, name),
      make("td", { class: "number" }, mark(own)), make("td", { class: "number" }, mark(reference)));
  });
  return make("table", { class: "marks" },
    make("thead", {}, make("tr", {}, make("td", {}),
      make("th", { scope: "col" }, "answer"), make("th", { scope: "col" }, "reference"))),
    make("tbody", {}, ...rows));
}

function answered(answer) {
  const run = data.runs[answer.run];
  const body = make("article", { class: `answered ${answer.outcome}` },
    make("header", {},
      make("span", { class: `run h${run.hue}` }), make("bdi", { class: "model" }, run.label),
      answer.sample ? make("small", {}, `sample ${answer.sample}`) : null,
      make("span", { class: "outcome" }, SAID[answer.outcome])));
  const said = make("div", { class: "said" });
  if (answer.text?.trim()) said.append(written(answer.text, "text"));
  else if (answer.text !== undefined) said.append(make("span", { class: "nothing" }, "an empty answer"));
  if (answer.reason) said.append(written(answer.reason, "reason"));
  if (!said.childNodes.length) said.append(make("span", { class: "nothing" }, "nothing"));
  body.append(said);
  if (answer.marks) body.append(marks(answer));
  if (answer.why) body.append(written(answer.why, "reason"));
  const replies = ROUNDS.flatMap(([order, name]) =>
    (answer.replies?.[order] ?? []).map((reply) => `${name}: ${reply}`));
  if (replies.length) body.append(folded("The judge’s replies", ...replies));
  return body;
}

function card(index) {
  const question = data.questions[index];
  const pictures = question.pictures.map((number, place) =>
    make("figure", {}, picture(number, question.pictures.length > 1 ? `picture ${place + 1}` : "the picture")));
  const names = question.categories.map((name) => data.categories[name] ?? name);
  return make("article", { class: "question" },
    make("header", {},
      make("a", { class: "id", href: addressOf({ ...DEFAULTS, q: question.id }) }, question.id),
      make("span", { class: "of" }, names.join(", ")),
      make("a", { class: "of", href: addressOf({ ...DEFAULTS, subtask: question.subtask }) },
        make("bdi", {}, question.subtask))),
    make("div", { class: "asked" },
      make("div", { class: `pictures of${Math.min(pictures.length, 3)}` }, ...pictures),
      make("p", { class: "what", dir: "auto" }, question.question),
      make("h3", {}, "Reference answer"), written(question.reference, "text"),
      folded("What the judge sees in place of the picture", question.annotation)),
    make("div", { class: "answers" }, ...answersOf(question).map(answered)));
}

fill("model", data.runs.map((_, index) => String(index)), data.runs.map((run) => run.label));
fill("category", Object.keys(data.categories), Object.values(data.categories));
fill("subtask", distinct(data.questions.map((question) => question.subtask)).sort());
begin();
