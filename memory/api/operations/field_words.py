"""What the source says about the fields of a class: the string that stands under each of them."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from functools import cache


def words_of_fields(cls: type) -> Mapping[str, str]:
    """Field names with what is said about them, of the class and those that it comes from."""
    found: dict[str, str] = {}
    for base in reversed(_lineage(cls)):
        found |= _words_in_module(base.__module__).get(base.__qualname__, {})
    return found


def _lineage(cls: type) -> tuple[type, ...]:
    """The classes that its fields come from; a TypedDict keeps its bases apart."""
    bases = getattr(cls, "__orig_bases__", ())
    lines = [_lineage(base) for base in bases if isinstance(base, type)]
    return tuple(dict.fromkeys([*cls.__mro__, *(found for line in lines for found in line)]))


@cache
def _words_in_module(name: str) -> Mapping[str, Mapping[str, str]]:
    module = sys.modules.get(name)
    try:
        tree = ast.parse(inspect.getsource(module)) if module else ast.Module([], [])
    except (OSError, TypeError):
        return {}
    return {found.name: dict(_words_in(found)) for found in tree.body if isinstance(found, ast.ClassDef)}


def _words_in(definition: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for statement, following in zip(definition.body, definition.body[1:], strict=False):
        if not (isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)):
            continue
        if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
            yield statement.target.id, inspect.cleandoc(str(following.value.value))
