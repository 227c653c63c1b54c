"""Settings of limits: how often, how much and how long the API may be asked, and its streams of events."""

from __future__ import annotations

from dataclasses import dataclass

from memseek_site.environment import Environment

MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class LimitSettings:
    """What a request may be and take. Rates are requests a minute; 0 is no limit."""

    reads: int = 0
    """Of a key."""
    writes: int = 0
    """Of a key."""
    expensive: int = 0
    """Of a key: what asks a model or goes through a whole memory."""
    of_address: int = 0
    """Of an address, whatever keys it has."""
    failed_keys: int = 0
    """Of an address: keys that opened nothing."""
    proxies: int = 0
    """Proxies in front that each add an address to X-Forwarded-For; 0 believes none."""
    body_megabytes: int = 16
    import_megabytes: int = 1024
    json_depth: int = 32
    """Levels of objects and lists in a body."""
    json_keys: int = 100_000
    """Fields of all objects in a body."""
    read_seconds: float = 30.0
    """Longest statement of a request that reads; 0 leaves it to the server."""
    answer_seconds: float = 120.0
    """Longest wait for a cited answer, the model's calls together; 0 is no limit."""

    @property
    def body_bytes(self) -> int:
        """Longest body."""
        return self.body_megabytes * MEGABYTE

    @property
    def import_bytes(self) -> int:
        """Longest export that is brought in."""
        return self.import_megabytes * MEGABYTE


@dataclass(frozen=True)
class EventSettings:
    """Streams of events."""

    streams: int = 1_000
    """Open ones of a web process."""
    streams_of_key: int = 20
    """Open ones of a key in a web process."""
    stream_seconds: float = 3_600.0
    """A stream ends after this, and its reader goes on with another one."""
    heartbeat_seconds: float = 15.0
    """A silent stream says so often that it lives."""
    waiting: int = 1_000
    """Events that wait for a slow reader before it is cut off."""


def read_limits(environment: Environment, *, is_production: bool) -> LimitSettings:
    """Everything about requests; a laptop has no rates unless it is given some."""

    def rate(name: str, usual: int, about: str) -> int:
        return environment.count(name, usual if is_production else 0, about=f"{about} a minute; 0: no limit.")

    return LimitSettings(
        reads=rate("MEMSEEK_RATE_READS", 1_200, "Reads of a key"),
        writes=rate("MEMSEEK_RATE_WRITES", 600, "Writes of a key"),
        expensive=rate("MEMSEEK_RATE_EXPENSIVE", 60, "Answers, erases, exports and imports of a key"),
        of_address=rate("MEMSEEK_RATE_ADDRESS", 3_000, "Requests of an address, with whatever keys"),
        failed_keys=rate("MEMSEEK_RATE_FAILED_KEYS", 30, "Wrong keys of an address"),
        proxies=environment.count(
            "MEMSEEK_FORWARDED_HOPS",
            0,
            about="Proxies in front that add the client's address to X-Forwarded-For; 0 believes none.",
        ),
        body_megabytes=environment.count(
            "MEMSEEK_BODY_MEGABYTES", 16, least=1, about="The largest request of the API."
        ),
        import_megabytes=environment.count(
            "MEMSEEK_IMPORT_MEGABYTES", 1024, least=1, about="The largest export that is brought in."
        ),
        json_depth=environment.count(
            "MEMSEEK_JSON_DEPTH", 32, least=8, about="Levels of objects and lists in a body."
        ),
        json_keys=environment.count(
            "MEMSEEK_JSON_KEYS", 100_000, least=1_000, about="Fields of all objects in a body."
        ),
        read_seconds=environment.seconds(
            "MEMSEEK_READ_SECONDS",
            30.0,
            about="Longest statement of a request that reads; 0: the server's own.",
        ),
        answer_seconds=environment.seconds(
            "MEMSEEK_ANSWER_SECONDS", 120.0, about="Longest wait for a cited answer; 0 is no limit."
        ),
    )


def read_events(environment: Environment) -> EventSettings:
    """Everything about streams."""
    return EventSettings(
        streams=environment.count(
            "MEMSEEK_EVENT_STREAMS", 1_000, about="Streams of events that a web process keeps open."
        ),
        streams_of_key=environment.count(
            "MEMSEEK_EVENT_STREAMS_OF_KEY", 20, about="... and of them those of one key."
        ),
        stream_seconds=environment.seconds(
            "MEMSEEK_EVENT_STREAM_SECONDS",
            3_600.0,
            least=1.0,
            about="A stream ends after this; its reader resumes.",
        ),
        heartbeat_seconds=environment.seconds(
            "MEMSEEK_EVENT_HEARTBEAT_SECONDS",
            15.0,
            least=0.1,
            about="So often a silent stream says that it lives.",
        ),
        waiting=environment.count(
            "MEMSEEK_EVENT_WAITING",
            1_000,
            least=1,
            about="Events that wait for a slow reader before it is cut off.",
        ),
    )
