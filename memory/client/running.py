"""Methods that are written once and run twice: by a blocking client and by an awaited one.

A method decorated with `door` is a flow. On a blocking object it returns the flow's result, on an
asynchronous one a coroutine of it. With `listing` it describes pages, and gives an iterator over their items.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast, overload

from memory.client.errors import UnreachableError
from memory.client.exchange import Flow, Pause, Request
from memory.client.wires import AsyncWire, BlockingWire

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items, and where the next ones begin; None on the last page."""

    items: Sequence[T]
    next: Any


@dataclass(frozen=True, slots=True)
class Pages(Generic[T]):
    """How to get the page that begins at a cursor (None for the first), and how many items are wanted."""

    page: Callable[[Any], Flow[Page[T]]]
    limit: int | None = None


class Blocking:
    """Runs flows in the calling thread."""

    _wire: BlockingWire

    def _run(self, flow: Flow[T]) -> T:
        outcome: Any = None
        try:
            step = next(flow)
            while True:
                try:
                    outcome = self._do(step)
                except UnreachableError as error:
                    step = flow.throw(error)
                else:
                    step = flow.send(outcome)
        except StopIteration as end:
            return cast(T, end.value)

    def _do(self, step: Request | Pause) -> Any:
        return self._wire.pause(step.seconds) if isinstance(step, Pause) else self._wire.send(step)

    def _iterate(self, pages: Pages[T]) -> Iterator[T]:
        cursor, left = None, pages.limit
        while left is None or left > 0:
            page = self._run(pages.page(cursor))
            yield from page.items[:left]
            cursor, left = page.next, None if left is None else left - len(page.items)
            if cursor is None:
                return


class Asynchronous:
    """Runs flows in an event loop."""

    _wire: AsyncWire

    async def _run(self, flow: Flow[T]) -> T:
        outcome: Any = None
        try:
            step = next(flow)
            while True:
                try:
                    outcome = await self._do(step)
                except UnreachableError as error:
                    step = flow.throw(error)
                else:
                    step = flow.send(outcome)
        except StopIteration as end:
            return cast(T, end.value)

    async def _do(self, step: Request | Pause) -> Any:
        if isinstance(step, Pause):
            return await self._wire.pause(step.seconds)
        return await self._wire.send(step)

    async def _iterate(self, pages: Pages[T]) -> AsyncIterator[T]:
        cursor, left = None, pages.limit
        while left is None or left > 0:
            page = await self._run(pages.page(cursor))
            for item in page.items[:left]:
                yield item
            cursor, left = page.next, None if left is None else left - len(page.items)
            if cursor is None:
                return


class door(Generic[P, T]):  # noqa: N801  # read as a decorator
    """Makes a method out of a flow."""

    def __init__(self, flow: Callable[Concatenate[Any, P], Flow[T]]) -> None:
        self.flow = flow
        self.__doc__ = flow.__doc__

    @overload
    def __get__(self, instance: Blocking, owner: type[Any] | None = None) -> Callable[P, T]: ...
    @overload
    def __get__(
        self, instance: Asynchronous, owner: type[Any] | None = None
    ) -> Callable[P, Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, instance: None, owner: type[Any]) -> Callable[Concatenate[Any, P], Any]: ...
    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        """The bound method; on a class the function that is bound."""
        return _bound(self.flow, "_run", instance)


class listing(Generic[P, T]):  # noqa: N801  # read as a decorator
    """Makes an iterator out of pages."""

    def __init__(self, pages: Callable[Concatenate[Any, P], Pages[T]]) -> None:
        self.pages = pages
        self.__doc__ = pages.__doc__

    @overload
    def __get__(self, instance: Blocking, owner: type[Any] | None = None) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(
        self, instance: Asynchronous, owner: type[Any] | None = None
    ) -> Callable[P, AsyncIterator[T]]: ...
    @overload
    def __get__(self, instance: None, owner: type[Any]) -> Callable[Concatenate[Any, P], Any]: ...
    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        """The bound method; on a class the function that is bound."""
        return _bound(self.pages, "_iterate", instance)


def _bound(method: Callable[..., Any], runner: str, instance: Any) -> Any:
    @functools.wraps(method)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, runner)(method(self, *args, **kwargs))

    return run if instance is None else MethodType(run, instance)
