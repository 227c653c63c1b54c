// A part of a page that follows what happens: asked for again while the page is looked at, changed piece by piece.

const SECOND_MS = 1000;
const REST_MS = 5 * SECOND_MS;

function put(piece, next) {
  for (const open of piece.querySelectorAll("details[open][id]")) {
    next.querySelector(`details[id="${CSS.escape(open.id)}"]`)?.setAttribute("open", "");
  }
  if (piece.isEqualNode(next)) return;
  for (const record of next.querySelectorAll("article[id]")) {
    if (!document.getElementById(record.id)) record.classList.add("fresh");
  }
  const focused = piece.contains(document.activeElement) && document.activeElement.getAttribute("href");
  piece.replaceWith(next);
  if (focused) next.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

function show(part, html) {
  const read = document.createElement("template");
  read.innerHTML = html;
  for (const next of [...read.content.querySelectorAll("[data-piece]")]) {
    const piece = document.getElementById(next.id);
    if (piece) put(piece, next);
  }
  say(part);
}

function say(part) {
  const told = part.querySelector("[data-said]")?.dataset.said ?? "";
  for (const line of document.querySelectorAll("[data-live-said]")) {
    if (line.textContent !== told) line.textContent = told;
  }
}

function follow(part) {
  let tag = part.dataset.liveTag;
  let timer = 0;

  async function look() {
    if (document.hidden) return;
    let wait = REST_MS;
    try {
      const response = await fetch(part.dataset.live, { headers: { "If-None-Match": tag }, cache: "no-store" });
      if (response.status === 200 && !response.redirected) {
        tag = response.headers.get("ETag") ?? tag;
        show(part, await response.text());
      } else if (response.status !== 304 && response.status < 500) {
        // The memory is gone, or the session: the page says which.
        location.reload();
        return;
      }
      wait = (Number(part.querySelector("[data-wait]")?.dataset.wait) || 5) * SECOND_MS;
    } catch {
      // The server is away for a moment.
    }
    clearTimeout(timer);
    timer = setTimeout(look, wait);
  }

  document.addEventListener("visibilitychange", look);
  timer = setTimeout(look, SECOND_MS);
}

for (const part of document.querySelectorAll("[data-live]")) follow(part);
for (const link of document.querySelectorAll("[data-live-again]")) link.hidden = true;
