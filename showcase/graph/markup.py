"""Nodes, edges and the outline's items, of which a graph has hundreds."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.safestring import SafeString
from django.utils.text import Truncator

from showcase.graph.layout import PlacedEdge, PlacedNode, Written
from showcase.graph.outline import NOTE_CHARACTERS, Item, Link
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


def nodes(placed: Iterable[PlacedNode]) -> SafeString:
    """Boxes with their words in lines that were measured; those with a page are links."""
    return joined(map(_node, placed))


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


def outlined(items: Iterable[Item]) -> SafeString:
    """Nodes in words, each with what it is connected with."""
    return joined(map(_item, items))


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
