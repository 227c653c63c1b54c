"""Nodes, edges and the outline's items, of which a graph has hundreds."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.safestring import SafeString
from django.utils.text import Truncator

from showcase.graph.layout import PlacedCluster, PlacedEdge, PlacedNode, PlacedStep, Written
from showcase.graph.nodes import Cluster, Step
from showcase.graph.outline import NOTE_CHARACTERS, Item, Link, Part
from showcase.markup import NOTHING, filled, hue, joined
from showcase.said import as_plain, as_said

SOME, MANY = 2, 10
"""So many receipts between two nodes make their edge thicker, and thicker again."""
BEHIND = 4
"""Pixels by which a second sheet stands out behind a group."""


def edges(placed: Iterable[PlacedEdge]) -> SafeString:
    """Lines along the evidence; scripts find their ends."""
    return joined(map(_edge, placed))


def _edge(placed: PlacedEdge) -> SafeString:
    edge = placed.edge
    width = 4 if edge.count >= MANY else 2.5 if edge.count >= SOME else None
    return filled(
        '<path class="edge{}{}" d="{}" data-lower="{}" data-upper="{}"{}{}/>',
        " succession" if edge.is_succession else "",
        " lit" if placed.is_lit else "",
        placed.path,
        edge.lower,
        edge.upper,
        SafeString(' marker-end="url(#took-place)"') if edge.is_succession else "",
        filled(' stroke-width="{}"', width) if width else "",
    )


def boxes(placed: Iterable[PlacedCluster]) -> SafeString:
    """The frames of those that have a title."""
    return joined((_box(cluster) for cluster in placed if cluster.title), "")


def _box(placed: PlacedCluster) -> SafeString:
    box = placed.box
    frame = '<rect class="cluster {}" x="{}" y="{}" width="{}" height="{}" rx="7"/>'
    return filled(frame, hue(placed.cluster.layer), box.x, box.y, box.width, box.height)


def clusters(placed: Iterable[PlacedCluster]) -> SafeString:
    """Titles, versions and nodes, each where it was placed."""
    return joined(map(_cluster, placed))


def _cluster(placed: PlacedCluster) -> SafeString:
    cluster = placed.cluster
    return filled(
        "{}{}\n{}\n{}",
        _title(cluster, placed.title) if placed.title else "",
        _close(cluster, placed.close) if placed.close else "",
        joined((_step(cluster, step, place) for place, step in enumerate(placed.steps)), ""),
        joined(map(_node, placed.nodes)),
    )


def _title(cluster: Cluster, title: Written) -> SafeString:
    """The whole of it is told where there was no room for it."""
    if not cluster.url:
        text = '<text class="cluster-title {}" x="{}" y="{}"><title>{}</title>{}</text>'
        return filled(text, hue(cluster.layer), title.x, title.y, cluster.title, title.text)
    return filled(
        '<a class="cluster-link {}" href="{}" data-aside><title>{}</title>'
        '<text class="cluster-title" x="{}" y="{}">{}</text></a>',
        hue(cluster.layer),
        cluster.url,
        cluster.title,
        title.x,
        title.y,
        title.text,
    )


def _close(cluster: Cluster, close: Written) -> SafeString:
    return filled(
        '<a class="cluster-link" href="{}" data-aside aria-label="Close {}">'
        '<text class="column-about" x="{}" y="{}">{}</text></a>',
        cluster.toggle_url,
        cluster.title,
        close.x,
        close.y,
        close.text,
    )


def _step(cluster: Cluster, step: PlacedStep, place: int) -> SafeString:
    """A version of a scene; all but the first come after a line."""
    box = step.box
    x, y = int(box.x), int(box.y)
    line = '<path class="step-line" d="M{} {}h8" aria-hidden="true"/>'
    return filled(
        '{}<a class="step {}{}" href="{}" data-aside aria-label="{}, version {}{}">'
        '<rect x="{}" y="{}" width="{}" height="{}" rx="7"/><text x="{}" y="{}">v{}</text></a>',
        filled(line, x - 10, box.middle) if place else "",
        hue(cluster.layer),
        " step-current" if step.is_current else "",
        step.url,
        cluster.title,
        step.number,
        ", current" if step.is_current else "",
        *(box.x, box.y, box.width, box.height),
        *(x + 12, y + 11, step.number),
    )


def _node(placed: PlacedNode) -> SafeString:
    node, box = placed.node, placed.box
    lit = " lit" if placed.is_lit else ""
    classes = f"node node-group {hue(node.layer)}{lit}"
    if node.url:
        group, past = " node-group" if node.kind == "group" else "", " node-past" if node.state else ""
        classes = f"node {hue(node.layer)}{group}{past}{lit}{' at' if node.is_at else ''}"
    frame = (
        '<a class="{}" href="{}" data-node="{}" data-column="{}" aria-label="{}">\n{}\n</a>'
        if node.url
        else '<g class="{}"{} data-node="{}" data-column="{}" role="img" aria-label="{}">\n{}\n</g>'
    )
    behind = '<rect class="node-behind" x="{}" y="{}" width="{}" height="{}" rx="5"/>'
    shift = (int(box.x) + BEHIND, int(box.y) + BEHIND, box.width, box.height)
    inside = filled(
        '<title>{}</title>{}<rect x="{}" y="{}" width="{}" height="{}" rx="5"/>{}{}',
        node.label,
        filled(behind, *shift) if node.kind == "group" else "",
        box.x,
        box.y,
        box.width,
        box.height,
        _written(placed.head, SafeString(' class="node-head"')) if placed.head else "",
        joined((_written(line) for line in placed.lines), ""),
    )
    return filled(frame, classes, node.url, node.key, placed.column, node.label, inside)


def _written(line: Written, more: SafeString = NOTHING) -> SafeString:
    return filled('<text{} x="{}" y="{}">{}</text>', more, line.x, line.y, line.text)


def outlined(parts: Iterable[Part]) -> SafeString:
    """Nodes in words, each with what it is connected with; a cluster with a title is a list of its own."""
    return joined(map(_part, parts))


def _part(part: Part) -> SafeString:
    items, cluster = joined(map(_item, part.items)), part.cluster
    if not cluster.title:
        return items
    linked, named = filled('<a href="{}">{}</a>', cluster.url, as_said(cluster.title)), "<b>{}</b>"
    return filled(
        '<li class="outline-part"><p class="outline-title">{}{}{}</p>\n<ul>{}</ul></li>',
        linked if cluster.url else filled(named, as_said(cluster.title)),
        joined(map(_version, cluster.steps), ""),
        _closing(cluster) if cluster.toggle_url else "",
        items,
    )


def _version(step: Step) -> SafeString:
    here = SafeString(' aria-current="true"') if step.is_current else ""
    linked = ' <a class="chip" href="{}"{}><span class="hidden">version</span> v{}</a>'
    return filled(linked, step.url, here, step.number)


def _closing(cluster: Cluster) -> SafeString:
    linked = ' <a href="{}">Close<span class="hidden"> {}</span></a>'
    return filled(linked, cluster.toggle_url, as_plain(cluster.title))


def _item(item: Item) -> SafeString:
    node = item.node
    return filled(
        '<li class="outline-item{}" id="o-{}">\n<p>{}{}{}{}{}</p>\n{}\n</li>',
        " lit" if item.is_lit else "",
        node.key,
        filled('<span class="fact-name">{}</span> ', as_said(node.head)) if node.head else "",
        filled('<span class="state">{}</span> ', node.state) if node.state else "",
        _linked(node.url, node.text),
        filled(' <span class="quiet small">{}</span>', node.note) if node.note else "",
        _connections(item) if node.at_url else "",
        _ways(item) if item.links else "",
    )


def _linked(url: str, text: str) -> SafeString:
    return filled('<a href="{}">{}</a>', url, as_said(text)) if url else as_said(text)


def _connections(item: Item) -> SafeString:
    return filled(
        ' <a class="small" href="{}"{}>Connections<span class="hidden"> of {}</span></a>',
        item.node.at_url,
        SafeString(' aria-current="true"') if item.node.is_at else "",
        Truncator(as_plain(item.node.text)).chars(NOTE_CHARACTERS),
    )


def _ways(item: Item) -> SafeString:
    ways = (
        filled('<li><span class="fact-name">{}</span> {} </li>', said, joined(map(_link, links), " "))
        for said, links in item.links
    )
    return filled('<ul class="outline-links">\n{}\n</ul>', joined(ways))


def _link(link: Link) -> SafeString:
    count = f" ×{link.count}" if link.count > 1 else ""
    return filled('<a class="chip {}" href="#o-{}">{}{}</a>', link.hue, link.key, link.text, count)
