// The judging form: drafts are saved as they are made, and the next item is announced.
// The form works without this file. Everything is looked up anew, because #item is replaced.

const DELAY = 700; // ms of quiet before a draft is saved
const LONGEST = 30_000; // ms between two tries at most

const form = () => document.querySelector("#item form[data-draft]");

let dirty = false; // something is not saved
let failures = 0; // tries to save that failed in a row
let unsent = false; // the answer was to be sent, and did not arrive
let timer = 0;
let flight = null; // the save under way: one at a time
let abort = new AbortController();

function say(selector, text) {
  const place = document.querySelector(`#item ${selector}`);
  if (place && place.textContent !== text) place.textContent = text; // the same again is not announced again
}

function sayTrouble() {
  if (unsent) say(".trouble", "Not sent - please send it again");
  else say(".trouble", failures ? "Not saved - will try again" : "");
}

function schedule(wait) {
  clearTimeout(timer);
  timer = setTimeout(save, wait);
}

function touch() {
  dirty = true;
  say(".saved", "");
  if (!failures) schedule(DELAY);
}

async function save({ leaving = false } = {}) {
  clearTimeout(timer);
  if (flight && !leaving) await flight;
  if (!dirty || !form()) return;
  dirty = false;
  flight = send(form(), leaving);
  await flight;
  flight = null;
}

async function send(judging, leaving) {
  const { signal } = abort;
  try {
    const answer = await fetch(judging.dataset.draft, {
      method: "POST",
      body: new URLSearchParams(new FormData(judging)),
      headers: { "HX-Request": "true" },
      credentials: "same-origin",
      keepalive: leaving,
      signal,
    });
    const elsewhere = answer.headers.get("HX-Redirect");
    if (elsewhere || answer.status === 401) return window.location.assign(elsewhere ?? "/login");
    if (answer.status === 409) return say(".trouble", "Not saved - this item changed meanwhile; sending it shows how");
    if (!answer.ok) throw new Error(String(answer.status));
    failures = 0;
    sayTrouble();
    if (!dirty) say(".saved", "Saved");
  } catch {
    if (signal.aborted) return;
    failures += 1;
    dirty = true;
    say(".saved", "");
    sayTrouble();
    schedule(Math.min(DELAY * 2 ** failures, LONGEST));
  }
}

function drop() {
  clearTimeout(timer);
  abort.abort();
  abort = new AbortController();
  dirty = unsent = false;
  failures = 0;
}

// What a new answer hides is no longer chosen, so that it is not sent unseen.
function clearHidden() {
  for (const input of form().querySelectorAll("input:checked")) {
    if (["panel", "also", "reason"].includes(input.name) && input.offsetParent === null) input.checked = false;
  }
}

document.addEventListener("input", (event) => {
  if (event.target.form && event.target.form === form()) touch();
});

document.addEventListener("change", (event) => {
  if (["label", "panel"].includes(event.target.name) && event.target.form === form()) clearHidden();
});

document.addEventListener("click", (event) => {
  if (!event.target.closest("#item [data-save]")) return;
  event.preventDefault();
  dirty = true;
  save();
});

// Sending supersedes the draft. Any other form (signing out) waits until the draft is saved.
document.addEventListener("submit", (event) => {
  if (event.target === form()) return drop();
  if (!dirty && !flight) return;
  event.preventDefault();
  save().finally(() => event.target.submit());
}, true);

window.addEventListener("pagehide", () => save({ leaving: true }));
document.addEventListener("visibilitychange", () => document.hidden && save({ leaving: true }));

// An answer that is no item (the study was closed meanwhile, say) is a page of its own.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { serverResponse, shouldSwap } = event.detail;
  if (!shouldSwap || serverResponse.trimStart().startsWith('<section id="item"')) return;
  event.detail.shouldSwap = false;
  window.location.reload();
});

document.addEventListener("htmx:afterSettle", () => {
  const item = document.getElementById("item");
  if (!item) return;
  drop();
  document.title = item.dataset.title;
  window.history.replaceState(null, "", item.dataset.url);
  const refused = item.querySelector("[role=alert]");
  (refused ?? item.querySelector("h1")).focus({ preventScroll: true });
  if (refused) touch(); // it was not taken: keep it as a draft
});

for (const event of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
  document.addEventListener(event, () => {
    unsent = true;
    sayTrouble();
    touch();
  });
}
