// Hover and focus show what is below and above a node; arrow keys walk along the evidence. Without this all nodes
// are plain links, and the outline leads to the same pages.

for (const svg of document.querySelectorAll("[data-graph]")) {
  const nodes = [...svg.querySelectorAll("[data-node]")];
  const named = new Map(nodes.map((node) => [node.dataset.node, node]));
  const edges = [...svg.querySelectorAll("[data-lower]")];
  const links = nodes.filter((node) => node.matches("a"));
  const atFirst = new Set(svg.querySelectorAll(".lit"));
  const wasWalking = svg.classList.contains("walking");

  const ends = (key, from, to) =>
    edges.filter((edge) => edge.dataset[from] === key).map((edge) => [edge, edge.dataset[to]]);

  function follow(key, from, to, found) {
    for (const [edge, next] of ends(key, from, to)) {
      found.add(edge);
      if (!found.has(named.get(next))) {
        found.add(named.get(next));
        follow(next, from, to, found);
      }
    }
  }

  function light(found) {
    for (const one of [...nodes, ...edges]) one.classList.toggle("lit", found.has(one));
  }

  function show(node) {
    const found = new Set([node]);
    follow(node.dataset.node, "lower", "upper", found);
    follow(node.dataset.node, "upper", "lower", found);
    light(found);
    svg.classList.add("walking");
  }

  function rest() {
    const focused = document.activeElement?.closest("[data-node]");
    if (focused && svg.contains(focused) && focused.matches(":focus-visible")) return show(focused);
    light(atFirst);
    svg.classList.toggle("walking", wasWalking);
  }

  const middle = (node) => node.getBBox().y + node.getBBox().height / 2;
  const column = (node) =>
    links
      .filter((link) => link.dataset.column === node.dataset.column)
      .sort((one, other) => middle(one) - middle(other));

  function connected(node, from, to) {
    const side = Number(node.dataset.column);
    const found = ends(node.dataset.node, from, to)
      .map(([, key]) => named.get(key))
      .filter((next) => next.matches("a") && Number(next.dataset.column) !== side);
    const distance = (next) => Math.abs(middle(next) - middle(node));
    return found.sort((one, other) => distance(one) - distance(other))[0];
  }

  const steps = {
    ArrowRight: (node) => connected(node, "lower", "upper"),
    ArrowLeft: (node) => connected(node, "upper", "lower"),
    ArrowUp: (node) => column(node)[column(node).indexOf(node) - 1],
    ArrowDown: (node) => column(node)[column(node).indexOf(node) + 1],
    Home: (node) => column(node)[0],
    End: (node) => column(node).at(-1),
  };

  function rove(node) {
    for (const link of links) link.setAttribute("tabindex", link === node ? "0" : "-1");
  }

  // On the frame: an SVG element that listens for focus would take it itself.
  const frame = svg.parentElement;
  frame.addEventListener("keydown", (event) => {
    const node = event.target.closest("[data-node]");
    const next = node && !event.altKey && !event.ctrlKey && !event.metaKey && steps[event.key];
    if (!next) return;
    event.preventDefault();
    next(node)?.focus();
  });
  frame.addEventListener("focusin", (event) => {
    const node = event.target.closest("[data-node]");
    if (!node) return;
    rove(node);
    if (node.matches(":focus-visible")) show(node);
  });
  for (const node of nodes) node.addEventListener("mouseenter", () => show(node));
  for (const node of nodes) node.addEventListener("mouseleave", rest);
  frame.addEventListener("focusout", () => queueMicrotask(rest));

  rove(svg.querySelector("a.at") ?? links[0]);
  for (const aside of svg.querySelectorAll("[data-aside]")) aside.setAttribute("tabindex", "-1");
  for (const keys of document.querySelectorAll("[data-graph-keys]")) keys.hidden = false;
}
