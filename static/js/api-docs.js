// Draws the OpenAPI document in the place of the plain list that the page comes with.
"use strict";

const place = document.querySelector("[data-openapi]");
const isDark = window.matchMedia("(prefers-color-scheme: dark)");

function wearScheme() {
  const chosen = document.documentElement.dataset.theme;
  const isWorn = chosen ? chosen === "dark" : isDark.matches;
  document.documentElement.classList.toggle("dark-mode", isWorn);
}

wearScheme();
isDark.addEventListener("change", wearScheme);
document.documentElement.addEventListener("themechange", wearScheme);

const list = [...place.children];
const drawing = document.createElement("div");
place.append(drawing);

// No key is asked for and no operation is tried out: keys do not belong into a browser.
window.SwaggerUIBundle({
  url: place.dataset.openapi,
  domNode: drawing,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: -1,
  filter: true,
  supportedSubmitMethods: [],
  validatorUrl: null,
  presets: [window.SwaggerUIBundle.presets.apis],
  plugins: [() => ({ wrapComponents: { authorizeBtn: () => () => null, authorizeOperationBtn: () => () => null } })],
  onComplete() {
    for (const part of list) part.remove();
  },
});
