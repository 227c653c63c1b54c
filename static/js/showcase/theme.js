// Colours change at once; the cookie tells the server. Without this, the form is sent and the page comes back.

const YEAR_SECONDS = 365 * 24 * 3600;
const root = document.documentElement;
const meta = document.querySelector('meta[name="color-scheme"]');

function wear(theme) {
  if (theme === "auto") {
    delete root.dataset.theme;
  } else {
    root.dataset.theme = theme;
  }
  meta.content = theme === "auto" ? "light dark" : theme;
  root.dispatchEvent(new CustomEvent("themechange"));
}

for (const form of document.querySelectorAll("[data-theme-form]")) {
  form.addEventListener("submit", (event) => {
    const theme = event.submitter?.value;
    if (!theme) return;
    event.preventDefault();
    const secure = location.protocol === "https:" ? "; secure" : "";
    document.cookie = `memseek_theme=${theme}; path=/; max-age=${YEAR_SECONDS}; samesite=lax${secure}`;
    for (const button of form.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button === event.submitter));
    }
    wear(theme);
  });
}
