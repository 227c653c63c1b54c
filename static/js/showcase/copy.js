// A button that copies the text of its block, exactly as it stands there.

const SHOWN_MS = 2000;

async function copy(block, button) {
  const label = button.firstChild;
  const text = block.querySelector("[data-copy-text]").textContent;
  let said = "Copied";
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    getSelection().selectAllChildren(block.querySelector("[data-copy-text]"));
    said = "Selected";
  }
  label.data = said;
  block.querySelector("[data-copy-status]").textContent = said;
  setTimeout(() => {
    label.data = "Copy";
  }, SHOWN_MS);
}

for (const block of document.querySelectorAll("[data-copy]")) {
  const button = block.querySelector("[data-copy-button]");
  button.hidden = false;
  button.addEventListener("click", () => copy(block, button));
}
