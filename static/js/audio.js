// The recording of an item: speed, replay, forward, by buttons and by the event that the keys send.
// The player works without this file. Everything is looked up anew, because #item is replaced.

const STEP = 2; // seconds

let rate = "1"; // as chosen; it stays from item to item

const part = (name) => document.querySelector(`#item [data-audio="${name}"]`);

const player = () => document.querySelector("#item audio");

function play(sound) {
  sound.play().catch(() => {}); // what went wrong, the element's own error says
}

const ACTS = {
  toggle: (sound) => (sound.paused ? play(sound) : sound.pause()),
  back: (sound) => {
    sound.currentTime = Math.max(0, sound.currentTime - STEP);
    play(sound);
  },
  forward: (sound) => {
    sound.currentTime = Math.min(sound.duration || 0, sound.currentTime + STEP);
  },
};

function act(name) {
  const sound = player();
  if (sound && Object.hasOwn(ACTS, name)) ACTS[name](sound);
}

function setRate() {
  const sound = player();
  if (!sound) return;
  sound.defaultPlaybackRate = sound.playbackRate = Number(rate);
}

function begin() {
  const choice = part("rate");
  if (!choice) return;
  choice.value = rate;
  choice.closest("[hidden]")?.removeAttribute("hidden");
  setRate();
}

function say(text) {
  const place = part("trouble");
  if (place && place.textContent !== text) place.textContent = text;
}

document.addEventListener("evenhand:audio", (event) => act(event.detail));

document.addEventListener("click", (event) => {
  const pressed = event.target.closest?.("#item button[data-audio]");
  if (pressed) act(pressed.dataset.audio);
});

document.addEventListener("change", (event) => {
  if (event.target !== part("rate")) return;
  rate = event.target.value;
  setRate();
});

// Events of media do not bubble.
document.addEventListener("error", (event) => {
  if (event.target === player()) say("The recording cannot be played. Reload the page; tell the lead if it stays so.");
}, true);
document.addEventListener("playing", () => say(""), true);
document.addEventListener("loadedmetadata", setRate, true);
document.addEventListener("ratechange", (event) => {
  const choice = part("rate"); // the player's own menu can set the speed too
  const now = String(event.target.playbackRate);
  if (choice && [...choice.options].some((each) => each.value === now)) rate = choice.value = now;
}, true);

// A player that is taken away stops at once, and not when the browser comes to it.
document.addEventListener("htmx:beforeSwap", () => player()?.pause());
document.addEventListener("htmx:afterSettle", begin);
begin();
if (player()?.error) say("The recording cannot be played. Reload the page; tell the lead if it stays so.");
