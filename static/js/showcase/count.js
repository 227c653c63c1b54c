// Says how much of a limit is used; what is too long is said at once, and not sent.

for (const field of document.querySelectorAll("[data-most]")) {
  const said = field.form.querySelector("[data-count-said]");
  const status = field.form.querySelector("[data-count-status]");
  const most = Number(field.dataset.most);

  function count() {
    const used = [...field.value].length;
    const over = used > most ? `${(used - most).toLocaleString("en")} characters too many.` : "";
    said.textContent = `${used.toLocaleString("en")} of up to ${most.toLocaleString("en")} characters. ${over}`;
    said.classList.toggle("over", Boolean(over));
    field.setCustomValidity(over);
    if (Boolean(status.textContent) !== Boolean(over)) status.textContent = over;
  }

  field.addEventListener("input", count);
  count();
}
