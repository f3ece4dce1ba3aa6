"use strict";
// What the pages of `cobsat label` share. The script that follows says, as `kind`, how an item is
// shown (`show`), what it looks like now (`draw`), what is taken back before an earlier item is
// looked at (`undo`), and which keys it has (`key`).
const base = location.pathname.replace(/\/*$/, "/");
const $ = (id) => document.getElementById(id);
let item = null;      // what is shown, or null when all is done
let fresh = true;     // whether it had no verdict before
let busy = false;     // what is pressed while an item is fetched or saved is not meant for it
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

function load(address) {
  return new Promise((ready) => {
    const picture = new Image();
    picture.onload = () => ready(picture);
    picture.onerror = () => ready(null);
    picture.src = base + address;
  });
}

// Fetch an item and its pictures; the next one is fetched while a person looks at this one.
function prepare(number) {
  if (!fetched.has(number)) {
    fetched.set(number, ask(`item/${number}`).then(async (data) => {
      const places = [...Array(data.pictures).keys()];
      const pictures = places.map((place) => load(`picture/${number}/${place}`));
      return { data, pictures: await Promise.all(pictures) };
    }));
    fetched.get(number).catch(() => fetched.delete(number));
  }
  return fetched.get(number);
}

async function show(number) {
  if (number >= progress.of) return finish();
  for (const other of fetched.keys()) if (Math.abs(other - number) > 1) fetched.delete(other);
  const { data, pictures } = await prepare(number);
  item = data;
  fresh = item.said === null;
  kind.show(pictures);
  $("work").hidden = false;
  $("finished").hidden = true;
  draw();
  // The person's own earlier verdict may change, so only what has none yet is fetched ahead.
  if (number + 1 < progress.of && number >= progress.next - 1) prepare(number + 1).catch(() => {});
}

// Save a verdict on the item that is shown, and return its number.
async function save(said) {
  const { number } = item;
  progress = await ask("answer", { number, ...said });
  fetched.delete(number);
  return number;
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
  $("previous").disabled = item.number === 0;
  $("following").disabled = item.number >= progress.next;
  kind.draw();
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

function look(number) {
  return alone(async () => {
    if (number >= 0 && number <= progress.next) await show(number);
  });
}

function undo() {
  return alone(async () => {
    if (!item) return progress.of ? show(progress.of - 1) : undefined;
    if (kind.undo()) draw();
    else if (item.number > 0) await show(item.number - 1);
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
  if (event.key === "Backspace") undo();
  else if (event.key === "ArrowLeft") look(current() - 1);
  else if (event.key === "ArrowRight") look(current() + 1);
  else if (!kind.key(event)) return;
  event.preventDefault();
});
$("previous").addEventListener("click", () => look(current() - 1));
$("following").addEventListener("click", () => look(current() + 1));
$("again").addEventListener("click", () => look(current() - 1));
$("undo").addEventListener("click", undo);

function begin() {
  alone(async () => {
    progress = await ask("progress");
    await show(progress.next);
  });
}
