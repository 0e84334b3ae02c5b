// Single keys of an item page. Digits by where they are on the keyboard, letters by what is printed on them.

import { announce } from "./said.js";

const GUARD = 250; // ms in which a new item takes no key: it may have been meant for the one before

let since = performance.now();

const item = () => document.getElementById("item");
const form = () => item()?.querySelector("form.judging");
const act = (name) => document.querySelector(`[data-act="${name}"]`);
const seen = (element) => element?.checkVisibility({ visibilityProperty: true }) ?? false;

// Only a layout that prints no Latin letters is read by the place of its keys.
function letter(event) {
  if (/^[a-z]$/i.test(event.key)) return event.key.toLowerCase();
  const foreign = /^\p{L}$/u.test(event.key) && !/^\p{Script=Latin}$/u.test(event.key);
  return foreign ? (/^Key([A-Z])$/.exec(event.code)?.[1].toLowerCase() ?? null) : null;
}

function digit(event) {
  const found = /^(Digit|Numpad)([1-9])$/.exec(event.code);
  return found && (found[1] === "Digit" || event.key === found[2]) ? Number(found[2]) : null; // a keypad may be arrows
}

const writes = (element) =>
  element.matches("textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=submit])");

// What Enter, Space and arrows do on these is the browser's business.
const native = (element) => element.matches("a[href], button, input, summary, audio, video, select");

function change(input, checked) {
  if (!input || input.disabled || input.checked === checked) return;
  input.checked = checked;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

// What is printed on a choice, without its keys. A key chooses where no focus is, so that nothing else tells of it.
const nameOf = (input) =>
  [...input.closest("label").childNodes].map((each) => (each.matches?.(".key") ? "" : each.textContent)).join("").trim();

function tell(input) {
  const name = input.dataset.said ?? nameOf(input);
  if (input.type === "checkbox") announce(`${name}: ${input.checked ? "chosen" : "taken back"}`);
  else announce(input.checked ? name : "No text chosen");
}

function choose(input, checked = true) {
  if (!input || input.disabled || input.checked === checked) return;
  change(input, checked);
  tell(input);
}

function chooseLabel(number) {
  const input = form()?.querySelector(`[name="label"][data-n="${number}"]`);
  if (seen(input)) choose(input);
}

// A and B are switches: both on is "both", where the answer has that.
function switchPanel(letter) {
  const places = Object.fromEntries([...form().querySelectorAll('[name="panel"]')].map((each) => [each.value, each]));
  if (!seen(places[letter])) return;
  const other = letter === "A" ? "B" : "A";
  const on = (name) => places[name].checked || places.both.checked;
  const wanted = on(letter) ? (on(other) ? other : null) : on(other) && seen(places.both) ? "both" : letter;
  if (wanted) choose(places[wanted]);
  else choose(places[letter], false);
}

function decide(key) {
  const input = form().querySelector(`[name="decision"][value="${key}"]`);
  if (seen(input)) choose(input);
}

function switchReason(number) {
  const why = form().querySelectorAll('[name="unresolved_reason"]')[number - 1];
  if (seen(why)) return choose(why);
  const chosen = form().querySelector('[name="label"]:checked')?.dataset.n;
  const reasons = form().querySelectorAll(`.reasons[data-of="${chosen}"] [name="reason"]`);
  const input = reasons[number - 1];
  if (seen(input)) choose(input, !input.checked);
}

function send() {
  const decisions = [...form().querySelectorAll('[name="decision"]')];
  if (decisions.length && !decisions.some((each) => each.checked)) return;
  act("next")?.click(); // practice: what is expected has been read
  const button = act("send");
  if (button && !button.disabled) form().requestSubmit(button);
}

const deeds = {
  a: () => switchPanel("A"),
  b: () => switchPanel("B"),
  c: () => decide("change"),
  d: () => act("differences")?.click(),
  f: () => act("flag")?.click(),
  g: () => act("guide")?.click(),
  m: () => decide("keep"),
  n: () => act("note")?.click(),
  p: () => act("previous")?.click(),
  u: () => decide("unresolved"),
  k: () => sound("toggle"),
  j: () => sound("back"),
  l: () => sound("forward"),
};

const sound = (detail) => document.dispatchEvent(new CustomEvent("evenhand:audio", { detail }));

function showKeys() {
  document.getElementById("keys").showModal();
}

// Ctrl+Enter is the one key that acts while somebody types.
function fromTheNote(event) {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return send;
  if (event.key === "Escape" && event.target.name === "note") return () => item().querySelector("h1").focus();
  return null;
}

function deed(event) {
  if (writes(event.target)) return fromTheNote(event);
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.altKey) return send;
  if (event.ctrlKey || event.altKey || event.metaKey) return null;
  if (event.key === "?") return showKeys;
  if (event.key === "Enter") return native(event.target) || event.shiftKey ? null : send;
  const number = digit(event);
  if (number) return event.shiftKey ? () => switchReason(number) : () => chooseLabel(number);
  return event.shiftKey ? null : (deeds[letter(event)] ?? null);
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
  if (!form() || !(event.target instanceof Element)) return;
  const found = deed(event);
  if (!found) return;
  event.preventDefault();
  if (event.repeat || performance.now() - since < GUARD) return;
  found();
});

document.addEventListener("click", (event) => {
  const name = event.target.closest("[data-act]")?.dataset.act;
  if (name === "keys") showKeys();
  if (event.target.closest("dialog [data-close]")) event.target.closest("dialog").close();
});

// Told to screen readers by what makes them act, so that a page without scripts promises no key.
function tellKeys() {
  for (const each of document.querySelectorAll("[data-keys]")) each.setAttribute("aria-keyshortcuts", each.dataset.keys);
}

document.addEventListener("evenhand:item", () => {
  since = performance.now();
  tellKeys();
});
tellKeys();
