
// --- CoBSAT: an output, and two questions of ten options.

const KINDS = ["object", "attribute"];
let chosen = {};      // kind -> a word, or "" for unclear
let step = "object";  // the question that the keyboard answers

function words(question) {
  return question === "object" ? item.objects : item.attributes;
}

const kind = {
  show([picture = null]) {
    chosen = { ...item.said };
    step = "object";
    $("picture").hidden = picture === null;
    if (picture) $("picture").src = picture.src;
    else $("picture").removeAttribute("src");
    $("written").hidden = item.description === null;
    $("written").textContent = item.description ?? "";
    $("written").scrollTop = 0;
    $("unreadable").hidden = picture !== null || item.description !== null;
    document.querySelector("#attribute .title").textContent =
      `What is the ${item.theme} (of the main object)?`;
    for (const question of KINDS) {
      for (const button of $(question).querySelectorAll("button")) {
        const word = words(question)[Number(button.dataset.number)];
        if (word !== undefined) button.lastElementChild.textContent = word;
      }
    }
  },
  draw() {
    for (const question of KINDS) {
      if (question === step) $(question).setAttribute("aria-current", "step");
      else $(question).removeAttribute("aria-current");
      for (const button of $(question).querySelectorAll("button")) {
        const word = words(question)[Number(button.dataset.number)] ?? "";
        button.setAttribute("aria-pressed", String(chosen[question] === word));
      }
    }
    $("undo").disabled = item.number === 0 && Object.keys(chosen).length === 0;
  },
  undo() {
    if (!fresh || !Object.keys(chosen).length) return false;
    chosen = {};
    step = "object";
    return true;
  },
  key(event) {
    const digit = digitOf(event);
    if (digit !== null) choose(step, (digit + 9) % 10);
    else if (event.key === "u" || event.key === "U") choose(step, -1);
    else return false;
    return true;
  },
};

function choose(question, number) {
  return alone(async () => {
    if (!item) return;
    chosen[question] = words(question)[number] ?? "";
    const complete = KINDS.every((each) => chosen[each] !== undefined);
    const other = question === "object" ? "attribute" : "object";
    step = complete ? question : other;
    draw();
    if (!complete) return;
    const saved = await save(chosen);
    if (fresh || question === "attribute") return show(fresh ? progress.next : saved + 1);
    step = other;
    draw();
  });
}

for (const question of KINDS) {
  $(question).addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) choose(question, Number(button.dataset.number));
  });
}
begin();
