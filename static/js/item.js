// An item's page between two loads: drafts, sending, what comes next. The form works without this file.

import { drop, form, keep, retry, save, signInAgain, touch, waiting } from "./drafts.js";
import { announce } from "./said.js";

const item = () => document.getElementById("item");

// What a new answer hides is no longer chosen, so that it is not sent unseen.
function clearHidden() {
  for (const input of form().querySelectorAll("input:checked")) {
    const seen = input.offsetParent !== null && getComputedStyle(input).visibility !== "hidden";
    if (["panel", "also", "reason"].includes(input.name) && !seen) input.checked = false;
  }
  const none = form().querySelector('[name="also"][value=""]'); // of these one is always chosen
  if (none && !form().querySelector('[name="also"]:checked')) none.checked = true;
}

document.addEventListener("input", (event) => {
  if (event.target.form && event.target.form === form()) touch();
});

document.addEventListener("change", (event) => {
  if (!["label", "panel", "also"].includes(event.target.name) || event.target.form !== form()) return;
  clearHidden();
  item().querySelector(".faults")?.remove(); // it spoke of the answer before, and its links lead there
});

// Whether there is anything in the form to keep.
const entered = () =>
  [...form().querySelectorAll(":checked, textarea")].some((each) => each.value !== "");

// The buttons at the foot, for which a plain page has something else.

const deeds = {
  note() {
    document.getElementById("more").open = true;
    form().elements.namedItem("note").focus();
  },
  differences() {
    const place = document.getElementById("differences");
    const list = place.querySelector("details");
    if (list) list.open = true;
    place.focus();
  },
};

// To a plain page the flag is a button that sends the form elsewhere. Of such a button htmx would remember that it
// was pressed, and send the next answer there too: so with scripts it is a button like the others.
function takeFlag() {
  const button = item()?.querySelector('[data-act="flag"][formaction]');
  if (!button) return;
  button.dataset.to = button.getAttribute("formaction");
  button.removeAttribute("formaction");
  button.type = "button";
}

async function flag(button) {
  const body = new URLSearchParams(new FormData(form()));
  const flagging = button.dataset.to.endsWith("/flag");
  try {
    const headers = { "HX-Request": "true" };
    const answer = await fetch(button.dataset.to, { method: "POST", body, headers });
    if (answer.status === 401) return signInAgain();
    if (!answer.ok) throw new Error(String(answer.status));
    button.dataset.to = `${button.dataset.flag}/${flagging ? "unflag" : "flag"}`;
    for (const words of button.querySelectorAll(".flag-words > span")) words.classList.toggle("off");
    item().querySelector(".flagged").hidden = !flagging;
    announce(flagging ? "Flagged for later" : "The flag is taken away");
  } catch {
    announce("The flag could not be stored");
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("#item button");
  if (!button) return;
  deeds[button.dataset.act]?.();
  if ("retry" in button.dataset) retry(item().querySelector('[data-act="send"]'));
  if (button.dataset.act !== "flag") return;
  event.preventDefault();
  flag(button);
});

// Sending supersedes the draft. Any other form (signing out) waits until the draft is saved.
document.addEventListener("submit", (event) => {
  if (event.target === form()) return drop();
  if (!waiting()) return;
  event.preventDefault();
  save().finally(() => event.target.submit());
}, true);

window.addEventListener("pagehide", () => save({ leaving: true }));
document.addEventListener("visibilitychange", () => document.hidden && save({ leaving: true }));

document.addEventListener("htmx:beforeOnLoad", (event) => {
  if (event.detail.xhr.status !== 401) return;
  event.preventDefault();
  signInAgain();
});

// An answer that is no item (the study was closed meanwhile, say) is a page of its own.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { serverResponse, shouldSwap } = event.detail;
  if (!shouldSwap || serverResponse.trimStart().startsWith('<section id="item"')) return;
  event.detail.shouldSwap = false;
  window.location.reload();
});

document.addEventListener("htmx:afterSettle", () => {
  if (!item()) return;
  takeFlag();
  drop();
  document.title = item().dataset.title;
  window.history.replaceState(null, "", item().dataset.url);
  const account = document.querySelector('[data-act="account"]');
  if (!item().matches(".exercise")) account.href = `/account?back=${item().dataset.url}`;
  document.dispatchEvent(new Event("evenhand:item"));
  const refused = item().querySelector("[role=alert]");
  const feedback = item().querySelector(".feedback h2");
  (refused ?? feedback ?? item().querySelector("h1")).focus({ preventScroll: true });
  if (item().matches(".exercise")) (refused ?? feedback)?.scrollIntoView({ block: "center" });
  if (refused) announce(""); // or what was said of the item before would still stand there
  if (refused) return void (entered() && touch()); // it was not taken: keep it as a draft
  if (!feedback) announce("Sent"); // practice: what came of it is read with the focus
});

takeFlag();

for (const event of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) document.addEventListener(event, keep);
