// The judging form is stored as it is filled in. Everything is looked up anew, because #item is replaced.

const DELAY = 700; // ms of quiet before a draft is saved
const LONGEST = 30_000; // ms between two tries at most

export const form = () => document.querySelector("#item form.judging");

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

function sayTrouble(text = "") {
  if (!text && unsent) text = failures || dirty ? "Not sent, and not saved" : "Not sent. It is saved as a draft";
  if (!text && failures) text = "Not saved. Trying again";
  say(".trouble", text);
  if (text) say(".saved", "");
  const retry = document.querySelector("#item [data-retry]");
  if (retry) retry.hidden = !(unsent || failures);
}

function savedWords() {
  const answered = "answered" in document.querySelector("#item .saved").dataset;
  return answered ? "Saved, not sent. Your earlier answer counts until you send." : "Saved, not sent";
}

function schedule(wait) {
  clearTimeout(timer);
  timer = setTimeout(save, wait);
}

export function touch() {
  if (!form().dataset.draft) return; // practice keeps none
  dirty = true;
  say(".saved", "");
  if (!failures) schedule(DELAY);
}

// The answer could not be sent: it is kept as a draft, as soon as that can be.
export function keep() {
  unsent = true;
  sayTrouble();
  touch();
}

// Send what was to be sent, with the same key; else save what could not be saved.
export function retry(button) {
  if (unsent) form().requestSubmit(button);
  else save();
}

export async function save({ leaving = false } = {}) {
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
    if (answer.status === 401) return signInAgain();
    const elsewhere = answer.headers.get("HX-Redirect");
    if (elsewhere) return window.location.assign(elsewhere);
    if (answer.status === 409) return sayTrouble("Not saved: this item changed meanwhile. Sending it shows how");
    if (!answer.ok) throw new Error(String(answer.status));
    failures = 0;
    document.dispatchEvent(new Event("evenhand:contact"));
    sayTrouble();
    if (!dirty && !unsent) say(".saved", savedWords());
  } catch {
    if (signal.aborted) return;
    failures += 1;
    dirty = true;
    sayTrouble();
    schedule(Math.min(DELAY * 2 ** failures, LONGEST));
  }
}

export function drop() {
  clearTimeout(timer);
  abort.abort();
  abort = new AbortController();
  dirty = unsent = false;
  failures = 0;
}

export const waiting = () => dirty || flight !== null;

// The session has ended. What stands in the form goes along to the sign-in page, and from there into a draft:
// nothing of it is left in the browser.
export function signInAgain() {
  const judging = form();
  const kept = new URLSearchParams(new FormData(judging));
  kept.delete("csrf");
  const way = Object.assign(document.createElement("form"), { method: "post", action: "/login", hidden: true });
  for (const [name, value] of Object.entries({ back: judging.getAttribute("action"), kept: kept.toString() })) {
    way.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
  drop();
  document.body.append(way);
  way.submit();
}
