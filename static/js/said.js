// What is told to whoever hears the page: emptied first, for the same words twice are said once.

let timer = 0;

export function announce(text) {
  const place = document.getElementById("said");
  clearTimeout(timer);
  place.textContent = "";
  timer = setTimeout(() => (place.textContent = text), 50);
}
