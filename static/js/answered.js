// This page answers a form. A browser keeps what was sent in its profile, to send it again after a restart:
// words of a text, a note. From here on this is a page that was only asked for, and nothing is kept.

window.history.replaceState(window.history.state, "", window.location.href);

// What an item's form held stands in this page alone: whoever leaves it without signing in is asked first.
const kept = document.querySelector("[name=kept]");
if (kept) {
  const ask = (event) => event.preventDefault();
  window.addEventListener("beforeunload", ask);
  kept.form.addEventListener("submit", () => window.removeEventListener("beforeunload", ask));
}
