"""Rebuilding: another design or model over the words that an entity's memory was made from.

The result is made in a shadow, an entity that no door reaches, by the same engine as everything else. There
it waits, whatever dies, until it is compared, and swapped in within one transaction or thrown away. See
docs/designs.md.
"""
