"""Which other origins may call the API from a browser: exact ones, or none."""

from urllib.parse import urlsplit

from memseek_site.environment import Environment

NAME = "API_CORS_ORIGINS"
EXAMPLE = '["https://app.example.com", "http://localhost:5173"]'


def read_origins(environment: Environment) -> tuple[str, ...]:
    """The exact origins of API_CORS_ORIGINS; nothing at all when one of them is wrong."""
    shape = f"a JSON array of exact origins such as {EXAMPLE}"
    value = environment.json_value(
        NAME, about=f"Origins that may call the API from a browser: {shape}.", shape=shape
    )
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(origin, str) for origin in value):
        environment.reject(NAME, f"{NAME} has another shape.", f"Give it {shape}.", "memseek.E002")
        return ()
    wrong = [origin for origin in value if not is_exact_origin(origin)]
    if wrong:
        message = f"{NAME} holds what is no exact origin: {', '.join(wrong)}."
        hint = "An origin is scheme, host and port only, without a path, slash at the end or wildcard."
        environment.reject(NAME, message, hint, "memseek.E002")
        return ()
    return tuple(value)


def is_exact_origin(origin: str) -> bool:
    """Whether a text is scheme://host[:port] as browsers send it: lower case, no path, no wildcard."""
    try:
        parts = urlsplit(origin)
        has_port = parts.port is not None
    except ValueError:
        return False
    if parts.scheme not in {"http", "https"} or not parts.hostname or "*" in origin or "@" in origin:
        return False
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return origin == f"{parts.scheme}://{host}" + (f":{parts.port}" if has_port else "")
