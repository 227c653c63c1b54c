// Steps through the stages without loading the page anew: by links, arrow keys, or by themselves.

const PLAY_MS = 4000;

const root = document.querySelector("[data-reactor]");
const status = document.querySelector("[data-reactor-status]");
let timer = 0;
let shown = location.pathname;

const link = (name) => root.querySelector(`[data-go="${name}"]`);

function dress() {
  const button = root.querySelector("[data-play]");
  button.hidden = false;
  button.textContent = timer ? "Pause" : "Play";
}

function pause() {
  clearTimeout(timer);
  timer = 0;
  dress();
}

function refocus(name) {
  const again = name === "play" ? root.querySelector("[data-play]") : name !== "jump" && link(name);
  (again || root.querySelector("#stage-title")).focus({ preventScroll: true });
}

// `focused` is the control that had the focus; none when the focus was elsewhere, and then it stays there.
async function show(url, remember, focused) {
  const response = await fetch(url).catch(() => null);
  if (!response?.ok) {
    location.assign(url);
    return;
  }
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  root.replaceChildren(...page.querySelector("[data-reactor]").childNodes);
  document.title = page.title;
  if (remember) history[remember](null, "", url);
  shown = new URL(url, location.href).pathname;
  dress();
  if (focused) refocus(focused);
  status.textContent = root.querySelector("#stage-title").textContent;
}

function focusedControl() {
  const control = root.contains(document.activeElement) && document.activeElement;
  return control && ("play" in control.dataset ? "play" : control.dataset.go || "jump");
}

function go(url) {
  pause();
  show(url, "pushState", focusedControl());
}

async function play(url) {
  await show(url, "replaceState", focusedControl());
  const next = link("next");
  timer = timer && next ? setTimeout(() => play(next.href), PLAY_MS) : 0;
  dress();
}

if (root) {
  dress();
  document.querySelector("[data-reactor-hint]").hidden = false;
  root.addEventListener("click", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const target = event.target.closest("[data-go], [data-play]");
    if (!target) return;
    event.preventDefault();
    if (target.dataset.go) {
      go(target.href);
    } else if (timer) {
      pause();
    } else {
      timer = setTimeout(play, 0, (link("next") || link("first")).href);
      dress();
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (event.target.closest("input, select, textarea")) return;
    const target = { ArrowRight: link("next"), ArrowLeft: link("back") }[event.key];
    if (!target) return;
    event.preventDefault();
    go(target.href);
  });
  addEventListener("popstate", () => {
    if (location.pathname === shown) return; // a place on the same stage
    pause();
    show(location.href, "", "");
  });
}
