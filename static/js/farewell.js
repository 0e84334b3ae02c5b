// Takes the place of a service worker that another program left on this port, removes it, and reloads its pages.

self.addEventListener("install", () => self.skipWaiting());

async function leave() {
  await self.registration.unregister();
  const pages = await self.clients.matchAll({ type: "window" });
  await Promise.all(pages.map((page) => page.navigate(page.url).catch(() => {})));
}

self.addEventListener("activate", (event) => event.waitUntil(leave()));
