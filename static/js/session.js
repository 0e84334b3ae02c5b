// Asks in time whether somebody is still there, and keeps the session while there is work: typing and listening count.

const WARNING = 2 * 60_000; // ms before the end
const TOUCH = 60_000; // ms between two signs of life at most

const dialog = document.getElementById("session");
const lasts = Number(dialog.dataset.idleMinutes) * 60_000;
const others = new BroadcastChannel("evenhand-session"); // the other tabs of this browser share the session

let heard = Date.now(); // when the server last answered this browser
let asked = 0; // when it was last asked for a sign of life

function tell(over) {
  for (const each of dialog.querySelectorAll(".while")) each.hidden = over;
  for (const each of dialog.querySelectorAll(".over")) each.hidden = !over; // by which the page is covered
}

function note(when) {
  heard = Math.max(heard, when);
  if (heard + lasts - Date.now() <= WARNING) return;
  tell(false);
  if (dialog.open) dialog.close();
}

function contact() {
  note(Date.now());
  others.postMessage(heard);
}

async function touch() {
  asked = Date.now();
  try {
    const answer = await fetch("/session", { credentials: "same-origin" });
    if (answer.ok) return contact();
    if (answer.status === 401) end();
  } catch {} // not reached: the next sign of life tries again
}

function end() {
  const item = document.getElementById("item")?.dataset.url;
  tell(true);
  const link = dialog.querySelector("[data-again]");
  link.href = item ? `/login?back=${encodeURIComponent(item)}` : "/login";
  if (!dialog.open) dialog.showModal();
  link.focus();
}

function look() {
  const left = heard + lasts - Date.now();
  if (left > WARNING) return;
  if (left < -5_000) return touch(); // another tab, or a clock that slept: the server knows
  if (!dialog.open) dialog.showModal();
}

function alive() {
  if (dialog.open || Date.now() - Math.max(heard, asked) < TOUCH) return;
  touch();
}

others.addEventListener("message", (event) => note(event.data));
document.addEventListener("evenhand:contact", contact); // a draft was saved
document.addEventListener("htmx:afterRequest", (event) => event.detail.xhr.status && contact());
for (const event of ["input", "play", "timeupdate", "ratechange", "seeked"]) document.addEventListener(event, alive, true);
document.addEventListener("visibilitychange", () => document.hidden || look());
dialog.querySelector("[data-stay]").addEventListener("click", touch); // its answer closes the dialog
setInterval(look, 5_000);
