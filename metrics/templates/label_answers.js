
// --- TouchStone: pictures, a question, and two answers of which one may be better.

const VOTES = ["left", "tie", "right"];
let vote = null;

const kind = {
  show(pictures) {
    vote = item.said?.vote ?? null;
    $("pictures").replaceChildren(...pictures.map((picture, place) => {
      if (picture) {
        picture.alt = pictures.length > 1 ? `Picture ${place + 1}` : "The picture";
        return picture;
      }
      const nothing = document.createElement("p");
      nothing.className = "unreadable";
      nothing.textContent = "This picture cannot be read: its file is missing or broken.";
      return nothing;
    }));
    $("pictures").dataset.count = Math.min(pictures.length, 3);
    for (const [id, text] of [["question", item.question], ["left", item.left], ["right", item.right]]) {
      $(id).textContent = text;
      $(id).scrollTop = 0;
    }
  },
  draw() {
    for (const button of $("votes").querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.vote === vote));
    }
    $("undo").disabled = item.number === 0;
  },
  undo() {
    return false;
  },
  key(event) {
    const digit = digitOf(event);
    if (digit === null || digit < 1 || digit > 3) return false;
    choose(VOTES[digit - 1]);
    return true;
  },
};

function choose(said) {
  return alone(async () => {
    if (!item) return;
    vote = said;
    draw();
    const saved = await save({ vote });
    return show(fresh ? progress.next : saved + 1);
  });
}

$("votes").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) choose(button.dataset.vote);
});
begin();
