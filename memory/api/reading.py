"""Query strings and bodies as the classes of `requests`; what cannot be taken is refused by its name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, get_origin

from django.http import QueryDict
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from memory.api.errors import RequestRefused

NAME_SHOWN = 64
PROBLEMS_SHOWN = 5
SEVERAL = (tuple, dict)

Model = TypeVar("Model", bound=BaseModel)


def read_query(model: type[Model], query: QueryDict) -> Model:
    """A query string; RequestRefused names the parameters that are wrong."""
    refuse_unknown(query, tuple(model.model_fields), "parameter")
    given = {name: _given(model, query, name) for name in query}
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise _refusal(error) from error


def read_body(model: type[Model], body: Mapping[str, Any]) -> Model:
    """A JSON object, whose values have to be of the right type already."""
    refuse_unknown(body, tuple(model.model_fields), "field")
    try:
        return model.model_validate_json(json.dumps(body), strict=True)
    except ValidationError as error:
        raise _refusal(error) from error


def refuse_unknown(given: Mapping[str, Any], known: Sequence[str], word: str) -> None:
    """RequestRefused for names that mean nothing here, with those that do."""
    unknown = [name for name in given if name not in known]
    if unknown:
        shown = ", ".join(shown_name(name) for name in unknown)
        known_ones = f"Known are {', '.join(known)}." if known else "None is taken here."
        raise RequestRefused(f"Unknown {word}: {shown}. {known_ones}")


def shown_name(name: str) -> str:
    """The beginning of a name that a client made up, as it may be shown."""
    return name.encode(errors="backslashreplace").decode()[:NAME_SHOWN]


def single(query: QueryDict, name: str) -> str | None:
    """The value of a parameter that may be given once."""
    values = query.getlist(name)
    if len(values) > 1:
        raise RequestRefused(f"{name}: is given {len(values)} times.")
    return values[0] if values else None


def _given(model: type[BaseModel], query: QueryDict, name: str) -> Any:
    """All values of a parameter that takes several, else the only one."""
    takes_several = get_origin(model.model_fields[name].annotation) in SEVERAL
    return query.getlist(name) if takes_several else single(query, name)


def _refusal(error: ValidationError) -> RequestRefused:
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    return RequestRefused("; ".join(_told(problem) for problem in problems[:PROBLEMS_SHOWN]) + ".")


def _told(problem: ErrorDetails) -> str:
    """`limit: has to be less than or equal to 100`."""
    field = ".".join(shown_name(str(part)) for part in problem["loc"]) or "body"
    if problem["type"] == "missing":
        return f"{field}: is required"
    text = problem["msg"].removeprefix("Value error, ").replace("Input should ", "has to ").rstrip(".")
    return f"{field}: {text[:1].lower()}{text[1:]}"
