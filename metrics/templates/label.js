
"use strict";
const KINDS = ["object", "attribute"];
const base = location.pathname.replace(/\/*$/, "/");
const $ = (id) => document.getElementById(id);
let item = null;      // what is shown, or null when all is done
let chosen = {};      // kind -> a word, or "" for unclear
let step = "object";  // the question that the keyboard answers
let fresh = true;     // whether it had no verdict before
let busy = false;     // what is pressed while an output is fetched or saved is not meant for it
let progress = { done: 0, of: 0, next: 0 };
const fetched = new Map();

async function ask(path, verdict) {
  const options = verdict === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(verdict),
  };
  let answer;
  try {
    answer = await fetch(base + path, { ...options, credentials: "omit", redirect: "error" });
  } catch {
    throw new Error("cobsat label does not answer: give the command again, and open its new address. Nothing that was counted is lost.");
  }
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.error);
  return data;
}

function words(kind) {
  return kind === "object" ? item.objects : item.attributes;
}

// Fetch an output and its picture; the next one is fetched while a person looks at this one.
function prepare(number) {
  if (!fetched.has(number)) {
    fetched.set(number, ask(`item/${number}`).then((data) => new Promise((ready) => {
      if (data.description !== null) return ready({ data, picture: null });
      const picture = new Image();
      picture.onload = () => ready({ data, picture });
      picture.onerror = () => ready({ data, picture: null });
      picture.src = `${base}picture/${number}`;
    })));
    fetched.get(number).catch(() => fetched.delete(number));
  }
  return fetched.get(number);
}

async function show(number) {
  if (number >= progress.of) return finish();
  for (const other of fetched.keys()) if (Math.abs(other - number) > 1) fetched.delete(other);
  const { data, picture } = await prepare(number);
  item = data;
  fresh = item.said === null;
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
  for (const kind of KINDS) {
    for (const button of $(kind).querySelectorAll("button")) {
      const word = words(kind)[Number(button.dataset.number)];
      if (word !== undefined) button.lastElementChild.textContent = word;
    }
  }
  $("work").hidden = false;
  $("finished").hidden = true;
  draw();
  // The person's own earlier verdict may change, so only what has none yet is fetched ahead.
  if (number + 1 < progress.of && number >= progress.next - 1) prepare(number + 1).catch(() => {});
}

function finish() {
  item = null;
  $("work").hidden = true;
  $("finished").hidden = false;
  draw();
  $("again").focus();
}

function draw() {
  $("bar").max = Math.max(1, progress.of);
  $("bar").value = progress.done;
  const place = item && item.number < progress.next ? `, looking at ${item.number + 1}` : "";
  $("count").textContent = `${progress.done} of ${progress.of}${place}`;
  if (!item) return;
  for (const kind of KINDS) {
    if (kind === step) $(kind).setAttribute("aria-current", "step");
    else $(kind).removeAttribute("aria-current");
    for (const button of $(kind).querySelectorAll("button")) {
      const word = words(kind)[Number(button.dataset.number)] ?? "";
      button.setAttribute("aria-pressed", String(chosen[kind] === word));
    }
  }
  $("previous").disabled = item.number === 0;
  $("following").disabled = item.number >= progress.next;
  $("undo").disabled = item.number === 0 && Object.keys(chosen).length === 0;
}

// Nothing else happens until this is over; what goes wrong is said, and what was chosen stays.
async function alone(action) {
  if (busy) return;
  busy = true;
  try {
    await action();
    $("problem").hidden = true;
  } catch (error) {
    $("problem").textContent = error.message;
    $("problem").hidden = false;
    draw();
  } finally {
    busy = false;
  }
}

function choose(kind, number) {
  return alone(async () => {
    if (!item) return;
    chosen[kind] = words(kind)[number] ?? "";
    const complete = KINDS.every((each) => chosen[each] !== undefined);
    const other = kind === "object" ? "attribute" : "object";
    step = complete ? kind : other;
    draw();
    if (!complete) return;
    const { number: saved } = item;
    progress = await ask("answer", { number: saved, ...chosen });
    fetched.delete(saved);
    if (fresh || kind === "attribute") return show(fresh ? progress.next : saved + 1);
    step = other;
    draw();
  });
}

function look(number) {
  return alone(async () => {
    if (number >= 0 && number <= progress.next) await show(number);
  });
}

function undo() {
  return alone(async () => {
    if (!item) return progress.of ? show(progress.of - 1) : undefined;
    if (fresh && Object.keys(chosen).length) {
      chosen = {};
      step = "object";
      draw();
    } else if (item.number > 0) await show(item.number - 1);
  });
}

function current() {
  return item ? item.number : progress.of;
}

// On some keyboards the digits need the shift key: their keys count without it too.
function digitOf(event) {
  const found = /^[0-9]$/.exec(event.key) ?? (event.shiftKey ? null : /(?<=^Digit)[0-9]$/.exec(event.code));
  return found ? Number(found[0]) : null;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const digit = digitOf(event);
  if (digit !== null) choose(step, (digit + 9) % 10);
  else if (event.key === "u" || event.key === "U") choose(step, -1);
  else if (event.key === "Backspace") undo();
  else if (event.key === "ArrowLeft") look(current() - 1);
  else if (event.key === "ArrowRight") look(current() + 1);
  else return;
  event.preventDefault();
});
for (const kind of KINDS) {
  $(kind).addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) choose(kind, Number(button.dataset.number));
  });
}
$("previous").addEventListener("click", () => look(current() - 1));
$("following").addEventListener("click", () => look(current() + 1));
$("again").addEventListener("click", () => look(current() - 1));
$("undo").addEventListener("click", undo);

alone(async () => {
  progress = await ask("progress");
  await show(progress.next);
});
