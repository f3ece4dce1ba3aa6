
// --- What an output is and what a judge says of it, on a card and on an example's own page.

const SAID = {
  right: "right", wrong: "wrong", unscored: "unscored", open: "not judged yet",
  "judge-failed": "the judge failed",
};
const STATUS_SAID = { error: "failed", blocked: "blocked", missing: "no prediction yet" };

const saidOutcome = (output, judge = judgeNumber()) =>
  STATUS_SAID[data.statuses[output[2]]] ?? SAID[outcomeOf(output, judge)];

/** Return whose an output is: its sample's number, its run. */
function whose(output) {
  const [run, , , , , , , , sample, inMajority] = output;
  const parts = [];
  if (sample) {
    parts.push(make("span", { class: "of" }, `sample ${sample} of ${data.runs[run].samples}`,
      inMajority[judgeNumber()] ? make("span", { class: "vote", role: "img",
        title: "shows what most outputs of this example show",
        "aria-label": "in the majority" }, "★") : null));
  }
  if (data.runs.length > 1) {
    parts.push(make("span", { class: "of" },
      make("span", { class: `run h${data.runs[run].hue}` }), make("bdi", {}, data.runs[run].label)));
  }
  return parts;
}

/** Return an output: its picture, its text, and why it is not more. `whole` is for large ones. */
function given(output, { text = null, whole = false } = {}) {
  const [, , , short, shown, address, reason] = output;
  const said = text ?? (short < 0 ? null : word(short));
  const body = make("div", { class: "output" });
  if (shown >= 0) {
    const image = picture(shown, "the model's output");
    body.append(make("a", { href: word(address), target: "_blank", rel: "noopener",
      title: "the whole picture" }, image));
    if (whole && image.tagName === "IMG") enlarge(image, word(address));
  }
  if (said !== null) {
    body.append(said.trim() ? written(said, "text", { fold: !whole })
      : make("span", { class: "nothing" }, "an empty text"));
  }
  if (reason >= 0) body.append(written(word(reason), "reason", { fold: !whole }));
  if (!body.childNodes.length) body.append(make("span", { class: "nothing" }, "nothing"));
  return body;
}

/** Show the run's own file in place of its thumbnail, where the file lies beside the page. */
function enlarge(image, address) {
  const file = new Image();
  file.addEventListener("load", () => {
    image.decoding = "sync";
    image.src = address;
  });
  file.src = address;
}

function answer(name, said, right, expected) {
  const mark = { 1: ["✓", "right"], 0: ["✗", "wrong"] }[right] ?? ["?", "unscored"];
  return make("div", { class: `answer ${mark[1]}` },
    make("dt", {}, name),
    make("dd", {}, make("bdi", {}, said || "no answer"),
      make("span", { class: "mark", role: "img", "aria-label": mark[1] }, mark[0]),
      right === 0 ? make("small", {}, "not ", make("bdi", {}, expected)) : null));
}

/** Return a judge's two answers, and why there are no others. */
function answers(verdict, object, attribute) {
  return [
    make("dl", {}, answer("object", word(verdict[1]), verdict[3], word(object)),
      answer("attribute", word(verdict[2]), verdict[4], word(attribute))),
    ...(verdict[5] >= 0 ? [written(word(verdict[5]), "reason")] : []),
  ];
}
