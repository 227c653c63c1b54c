#!/usr/bin/env python3
"""Capture for coding agents: records what is said, and prints what memory knows when a session starts.

One file, nothing but Python 3.9 or newer. docs/capture.md has the contract and the set-up for each agent.

    memseek_hook.py hook [--event NAME]        an agent's hook: its JSON on standard input
    memseek_hook.py notify JSON                Codex' notify program
    memseek_hook.py record --role user --session NAME < text
    memseek_hook.py context --session NAME --task "what is about to be done"
    memseek_hook.py flush                      deliver what waits
    memseek_hook.py status                     say what waits and what was set aside

Words go to a folder first and from there to the server, so that a server that is slow or away costs the agent
nothing. Whatever happens, the exit code is 0 and the time limit holds.
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import importlib
import json
import math
import os
import re
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NoReturn, Optional
from urllib.parse import urlsplit

try:
    import fcntl
except ImportError:  # Windows has locks of its own
    fcntl = None  # type: ignore[assignment]

VARIABLES = (
    "MEMSEEK_BASE_URL",
    "MEMSEEK_API_KEY",
    "MEMSEEK_ENTITY",
    "MEMSEEK_HOOK_SECONDS",
    "MEMSEEK_HOOK_SPOOL",
    "MEMSEEK_HOOK_MEGABYTES",
    "MEMSEEK_HOOK_CONTEXT",
    "MEMSEEK_HOOK_TOKENS",
    "MEMSEEK_HOOK_DETACH",
)
DEFAULT_SECONDS = 2.0
FLUSH_SECONDS = 60.0
NETWORK_SHARE = 0.8
"""Of the time limit, so that what is said at the end still fits."""
MESSAGES_PER_CALL = 50
TEXT_LIMIT = 65_536
SESSION_LIMIT = 128
INPUT_LIMIT = 16 * 1024 * 1024
CHUNK_BYTES = 1024 * 1024
TRANSCRIPT_TAIL = 1024 * 1024
SAME_EVENT_SECONDS = 2.0
"""The same words within this time are one hook that was set up twice."""
LOCK_SECONDS = 0.3
MOST_FILES = 10_000
STALE_SECONDS = 24 * 3600.0
LEAST_TOKENS = 300
REFUSED = frozenset({400, 409, 413, 422})
"""Statuses that say: these words never, however often they are sent."""
CONFLICT = 409
NOT_THERE = 404
KEY_PROBLEMS = frozenset({401, 403})
OK = range(200, 300)

STARTS = frozenset({"SessionStart", "sessionStart"})
PROMPTS = frozenset({"UserPromptSubmit", "beforeSubmitPrompt", "userPromptSubmitted"})
REPLIES = frozenset({"Stop", "afterAgentResponse", "agentStop"})
ENDS = frozenset({"SessionEnd", "sessionEnd", "stop"})

# The marks of recalled blocks, as the server sets them.
_TAG = re.compile(r"<\s{0,20}(/?)\s{0,20}memseek-recall(?=[\s/>]|$)[^>]*>?", re.IGNORECASE)
_EVENT_NAME = re.compile(r'"(?:hook_event_name|hookEventName)"\s{0,20}:\s{0,20}"(\w{1,64})"')
_HEADING = re.compile(r"\s{0,40}## Request \([^()<\n]*\)[ \t]*(?:\n|$)")


class Settings:
    """What the environment says."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.base_url = environment.get("MEMSEEK_BASE_URL", "").rstrip("/") or "http://127.0.0.1:8000"
        self.key = environment.get("MEMSEEK_API_KEY", "")
        self.entity = environment.get("MEMSEEK_ENTITY", "")
        self.seconds = _number(environment, "MEMSEEK_HOOK_SECONDS", DEFAULT_SECONDS, least=0.1)
        self.most_bytes = int(_number(environment, "MEMSEEK_HOOK_MEGABYTES", 50, least=1) * 1024 * 1024)
        self.tokens = int(_number(environment, "MEMSEEK_HOOK_TOKENS", 2_000, least=LEAST_TOKENS))
        self.tells_each_prompt = environment.get("MEMSEEK_HOOK_CONTEXT", "start") == "prompt"
        self.detaches = environment.get("MEMSEEK_HOOK_DETACH", "1") not in ("0", "false", "no")
        state = environment.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
        spool = environment.get("MEMSEEK_HOOK_SPOOL") or str(Path(state) / "memseek")
        # What is meant for one memory is never delivered to another one.
        whose = hashlib.sha256(f"{self.base_url}\n{self.entity}".encode()).hexdigest()[:16]
        self.folder = Path(spool).expanduser() / whose

    @property
    def is_complete(self) -> bool:
        """Whether anything can be recorded at all."""
        return bool(self.key and self.entity)


def _number(environment: Mapping[str, str], name: str, default: float, *, least: float) -> float:
    try:
        value = float(environment.get(name) or default)
    except ValueError:
        return default
    return max(least, value) if math.isfinite(value) else default


class Deadline:
    """The end of a time limit. `enforce` ends the process then, whatever it is doing."""

    def __init__(self, seconds: float) -> None:
        self._ends_at = time.monotonic() + seconds
        self._network_ends_at = time.monotonic() + seconds * NETWORK_SHARE

    def enforce(self) -> None:
        """From now on the limit is kept by force: a look-up of a name or a dripping reply knows none."""
        timer = threading.Timer(max(0.01, self._ends_at - time.monotonic()), os._exit, (0,))
        timer.daemon = True
        timer.start()

    def network_seconds(self) -> float:
        """What is left for the server."""
        return self._network_ends_at - time.monotonic()


class AwayError(Exception):
    """The server gave no answer in time, or none that says anything about the words."""

    def __init__(self, told: str, status: int = 0) -> None:
        super().__init__(told)
        self.status = status


class RefusedError(Exception):
    """The server does not take these words; `is_known` where they are stored under their key already."""

    def __init__(self, status: int, document: Mapping[str, Any]) -> None:
        super().__init__(f"status {status}")
        problems = document.get("problems")
        fields = [item.get("field") for item in problems] if isinstance(problems, list) else []
        self.is_known = status == CONFLICT and fields == ["dedupe_key"]


class Server:
    """The HTTP API. The key goes into one header and nowhere else."""

    def __init__(self, settings: Settings, deadline: Deadline) -> None:
        self._settings = settings
        self._deadline = deadline

    def record(self, messages: list[dict[str, Any]]) -> None:
        """Store messages, all or none; those that are stored already stay as they are."""
        self._post("/api/v1/records", {"entity": self._settings.entity, "messages": messages})

    def context(self, task: str) -> str:
        """What memory has to say before a task, between the marks of recalled blocks."""
        asked = {
            "entity": self._settings.entity,
            "task": task[:TEXT_LIMIT],
            "total": self._settings.tokens,
            "budgets": {"request": 0},
        }
        text = self._post("/api/v1/context", asked).get("text", "")
        return text.strip() if isinstance(text, str) else ""

    def state(self) -> str:
        """What a person who sets things up wants to know, in one line."""
        try:
            self.context("Is all well?")
        except AwayError as error:
            if error.status == NOT_THERE:
                return "answers; there is no memory of this name yet, the first words make it"
            if error.status in KEY_PROBLEMS:
                return f"does not take this key (status {error.status})"
            return f"does not answer ({error})"
        except RefusedError as error:
            return f"answers, and refuses ({error})"
        return "answers"

    def _post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        seconds = self._deadline.network_seconds()
        if seconds <= 0:
            raise AwayError("no time is left")
        try:
            status, answer = self._exchange(path, json.dumps(body).encode(), seconds)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise AwayError(type(error).__name__) from None
        if status in REFUSED:
            raise RefusedError(status, answer)
        if status not in OK:
            raise AwayError(f"status {status}", status)
        return answer

    def _exchange(self, path: str, body: bytes, seconds: float) -> tuple[int, dict[str, Any]]:
        address = urlsplit(self._settings.base_url)
        kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
        connection = kind(address.hostname or "", address.port, timeout=seconds)
        try:
            headers = {"Authorization": f"Bearer {self._settings.key}", "Content-Type": "application/json"}
            connection.request("POST", address.path + path, body, headers)
            response = connection.getresponse()
            document = read_object(response.read(INPUT_LIMIT).decode("utf-8", "replace"))
        finally:
            connection.close()
        return response.status, document


class Spool:
    """A folder of words that wait: one file each, in the order in which they were said."""

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self.folder = folder
        self._most_bytes = most_bytes

    def add(self, message: Mapping[str, Any]) -> Path:
        """Put a message down for good, or raise OSError: a file appears whole or not at all."""
        self._make()
        content = json.dumps(message).encode()
        if self._is_full(len(content)):
            raise OSError("the spool is full")
        name = f"{time.time_ns():020d}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        part, path = self.folder / f"{name}.part", self.folder / f"{name}.json"
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
        except OSError:
            with suppress(OSError):
                part.unlink()
            raise
        return path

    def waiting(self) -> list[Path]:
        """The files, oldest first."""
        with suppress(OSError):
            return sorted(self.folder.glob("*.json"))
        return []

    def aside(self) -> list[str]:
        """Names of files that could not be read or were refused."""
        with suppress(OSError):
            return sorted(path.name for path in (self.folder / "aside").iterdir())
        return []

    def set_aside(self, path: Path, reason: str) -> None:
        """Keep a file out of the way; its new name says why. OSError if that fails: it would come again."""
        with suppress(FileNotFoundError):
            (self.folder / "aside").mkdir(mode=0o700, exist_ok=True)
            os.replace(path, self.folder / "aside" / f"{path.stem}.{reason}")
            complain(f"set aside ({reason}): {path.stem}.{reason}")

    def note(self, reason: str, facts: Mapping[str, Any]) -> None:
        """Leave word of what could not be taken, without its words, among what was set aside."""
        name = f"{time.time_ns():020d}-{os.getpid()}-{uuid.uuid4().hex[:8]}.{reason}"
        with suppress(OSError):
            self._make()
            (self.folder / "aside").mkdir(mode=0o700, exist_ok=True)
            handle = os.open(self.folder / "aside" / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w") as file:
                json.dump(facts, file)

    def remove_leftovers(self) -> None:
        """What a killed hook left half written is gone after a day."""
        for path in self.folder.glob("*.part"):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > STALE_SECONDS:
                    path.unlink()

    @contextmanager
    def locked(self, name: str, *, seconds: float = 0.0) -> Iterator[bool]:
        """Hold a lock that ends with the process; False where somebody else holds it for longer than that."""
        self._make()
        handle = os.open(self.folder / f"{name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        ends_at = time.monotonic() + seconds
        try:
            while not (is_mine := _lock(handle)) and time.monotonic() < ends_at:
                time.sleep(0.01)
            yield is_mine
        finally:
            os.close(handle)

    def _make(self) -> None:
        """The folder, or OSError: whoever owns it reads what is in it, wherever a link leads."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if hasattr(os, "getuid") and self.folder.stat().st_uid != os.getuid():
            raise OSError("the spool is somebody else's")

    def _is_full(self, more: int) -> bool:
        sizes = []
        with os.scandir(self.folder) as found:
            for entry in found:
                # What is delivered at this moment takes no room.
                with suppress(FileNotFoundError):
                    sizes += [entry.stat().st_size] if entry.name.endswith(".json") else []
        return len(sizes) >= MOST_FILES or sum(sizes) + more > self._most_bytes


def _lock(handle: int) -> bool:
    """Take the lock of an open file if nobody has it."""
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            windows: Any = importlib.import_module("msvcrt")
            windows.locking(handle, windows.LK_NBLCK, 1)
    except OSError:
        return False
    return True


class Turns:
    """Gives every turn a key of its own, the same for a hook that runs twice for one turn."""

    def __init__(self, spool: Spool, session: str) -> None:
        self._spool = spool
        self._path = spool.folder / f"session-{hashlib.sha256(session.encode()).hexdigest()[:24]}.state"
        self._session = session

    def key(self, role: str, text: str) -> str:
        """The key of a turn. Where nothing can be remembered it is a new one each time."""
        try:
            with self._spool.locked("turns", seconds=LOCK_SECONDS) as is_mine:
                if not is_mine:
                    raise OSError("somebody holds the lock")
                state = self._read()
                self._advance(state, role, text)
                self._write(state)
        except OSError:
            return f"hook:{uuid.uuid4().hex}"
        return hook_key(self._session, state["born"], state["turn"], role, text)

    def _read(self) -> dict[str, Any]:
        with suppress(OSError, ValueError, RecursionError):
            state = json.loads(self._path.read_text())
            if isinstance(state, dict) and isinstance(state.get("turn"), int) and "born" in state:
                return state
        return {"born": uuid.uuid4().hex, "turn": 0, "said": "", "at": 0.0}

    def _advance(self, state: dict[str, Any], role: str, text: str) -> None:
        """A turn begins with the user's words."""
        said = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        is_same = state.get("said") == said and time.time() - state.get("at", 0.0) < SAME_EVENT_SECONDS
        if role == "user" and not is_same:
            state.update(turn=state["turn"] + 1, said=said, at=time.time())

    def _write(self, state: Mapping[str, Any]) -> None:
        part = self._path.with_suffix(".new")
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file:
            json.dump(state, file)
        os.replace(part, self._path)


def hook_key(*parts: object) -> str:
    """A dedupe key out of what makes a turn that turn."""
    told = json.dumps([str(part) for part in parts]).encode()
    return f"hook:{hashlib.sha256(told).hexdigest()[:40]}"


class Capture:
    """What the commands do."""

    def __init__(self, settings: Settings, deadline: Deadline) -> None:
        self.settings = settings
        self.deadline = deadline
        self.server = Server(settings, deadline)
        self.spool = Spool(settings.folder, settings.most_bytes)

    def record(self, role: str, session: str, text: str, *, key: str = "", at: str = "") -> None:
        """Put words down and have them delivered; recalled blocks are nobody's words."""
        words = strip_recalled(text)
        if not words.strip():
            return
        session = clean(session)[:SESSION_LIMIT].strip() or "default"
        key = key or Turns(self.spool, session).key(role, words)
        at = at or datetime.now(timezone.utc).isoformat()  # noqa: UP017 - Python 3.9 has no datetime.UTC
        pieces = [words[start : start + TEXT_LIMIT] for start in range(0, len(words), TEXT_LIMIT)]
        for number, piece in enumerate(pieces):
            message = {"session": session, "role": role, "text": clean(piece), "occurred_at": at}
            self._put({**message, "dedupe_key": f"{key}:{number}" if number else key})

    def _put(self, message: dict[str, Any]) -> None:
        try:
            self.spool.add(message)
        except OSError as error:
            complain(f"cannot put words down ({error.strerror or error}), sending them at once")
            try:
                self.server.record([message])
            except (AwayError, RefusedError) as failure:
                complain(f"words were lost: {failure}")

    def context(self, task: str) -> str:
        """What memory knows, or nothing."""
        try:
            return self.server.context(task or "What is going on?")
        except AwayError as error:
            # Before the first words there is no memory, which is nothing to complain of.
            if error.status != NOT_THERE:
                complain(f"no context: {error}")
        except RefusedError as error:
            complain(f"no context: {error}")
        return ""

    def state(self) -> dict[str, Any]:
        """What waits, what was set aside, and whether the server and the key are right."""
        server = (
            self.server.state()
            if self.settings.is_complete
            else "MEMSEEK_API_KEY and MEMSEEK_ENTITY are needed"
        )
        return {"waiting": len(self.spool.waiting()), "aside": self.spool.aside(), "server": server}

    def deliver_soon(self) -> None:
        """Have a child deliver what waits; where there can be none, deliver as long as there is time."""
        if not self.spool.waiting():
            return
        if not (self.settings.detaches and start_child()):
            self.deliver()

    def deliver(self) -> None:
        """Send what waits, in order. One process at a time does it for a folder."""
        while self.spool.waiting():
            try:
                with self.spool.locked("deliver") as is_mine:
                    if not is_mine or not self._deliver_all():
                        return
            except OSError as error:
                complain(f"cannot deliver: {error.strerror or error}")
                return

    def _deliver_all(self) -> bool:
        """Whether everything that was there is gone."""
        self.spool.remove_leftovers()
        while paths := self.spool.waiting()[:MESSAGES_PER_CALL]:
            batch = [(path, message) for path in paths if (message := self._read(path)) is not None]
            try:
                self._send(batch)
            except AwayError as error:
                complain(f"the words wait: {error}")
                return False
        return True

    def _send(self, batch: list[tuple[Path, dict[str, Any]]]) -> None:
        """Send together; where that is refused, one by one, so that only the bad ones are set aside."""
        if not batch:
            return
        try:
            self.server.record([message for _, message in batch])
        except RefusedError as error:
            if len(batch) > 1:
                for one in batch:
                    self._send([one])
                return
            if not error.is_known:
                self.spool.set_aside(batch[0][0], "refused")
                return
        for path, _ in batch:
            path.unlink(missing_ok=True)

    def _read(self, path: Path) -> Optional[dict[str, Any]]:  # noqa: UP045 - so that 3.9 can evaluate it
        try:
            message = json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError):
            message = None
        if isinstance(message, dict) and {"session", "role", "text", "dedupe_key"} <= message.keys():
            return message
        self.spool.set_aside(path, "corrupt")
        return None


def start_child() -> bool:
    """Start this script once more to deliver, in a session of its own; the agent does not wait for it."""
    detached: dict[str, Any] = {"start_new_session": True}
    if os.name == "nt":
        detached = {"creationflags": 0x00000008 | 0x00000200}
    try:
        subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "flush"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=True,
            **detached,
        )
    except OSError:
        return False
    return True


def strip_recalled(text: str) -> str:
    """The text without what stands between the marks of recalled blocks, as the server reads them."""
    kept, depth, position = [], 0, 0
    for tag in _TAG.finditer(text):
        if depth == 0:
            kept.append(text[position : tag.start()])
        if tag.group(1):
            depth = max(0, depth - 1)
        elif not tag.group().endswith("/>"):
            depth += 1
        heading = _HEADING.match(text, tag.end()) if depth == 0 else None
        position = (heading or tag).end()
    if depth == 0:
        kept.append(text[position:])
    return "".join(kept)


def clean(text: str) -> str:
    """Text as the server takes it: no NUL, no half characters."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def complain(message: str) -> None:
    """One line on standard error; no words of anybody, no key."""
    with suppress(OSError, ValueError):
        sys.stderr.write(f"memseek: {message}\n")


def first(event: Mapping[str, Any], *names: str) -> str:
    """The first of some fields that holds text; agents write the same field in several ways."""
    return next((value for name in names if isinstance(value := event.get(name), str) and value), "")


def session_of(event: Mapping[str, Any]) -> str:
    """What an agent calls its session."""
    return first(event, "session_id", "sessionId", "conversation_id", "thread-id", "thread_id")


def on_hook(capture: Capture, event: Mapping[str, Any], name: str) -> None:
    """One event of Claude Code, Codex, VS Code or Cursor."""
    name = name or first(event, "hook_event_name", "hookEventName")
    session = session_of(event)
    if first(event, "agent_id"):
        # A helper that the agent has started: what goes on between the two was said by nobody.
        tell(name, "")
        return
    if name in PROMPTS:
        capture.record("user", session, first(event, "prompt", "initialPrompt"))
    elif name in REPLIES:
        text = first(event, "last_assistant_message", "text") or last_reply(first(event, "transcript_path"))
        capture.record("assistant", session, text)
    if name in PROMPTS | REPLIES | ENDS | STARTS:
        capture.deliver_soon()
    tell(name, context_for(capture, event, name))


def context_for(capture: Capture, event: Mapping[str, Any], name: str) -> str:
    """What is told at this event."""
    if name in STARTS:
        for aside in capture.spool.aside()[:5]:
            complain(f"was set aside: {aside}")
        folder = Path(first(event, "cwd") or os.getcwd()).name
        return capture.context(first(event, "initialPrompt") or f"Work on {folder}.")
    if name == "UserPromptSubmit" and capture.settings.tells_each_prompt:
        return capture.context(strip_recalled(first(event, "prompt")))
    return ""


def tell(name: str, text: str) -> None:
    """Print what the agent expects, in one piece."""
    if name == "beforeSubmitPrompt":
        say(json.dumps({"continue": True}))
    elif text and name == "sessionStart":
        say(json.dumps({"additional_context": text, "additionalContext": text}))
    elif text:
        say(json.dumps({"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}))


def say(text: str) -> None:
    """One write, so that an agent reads all of it or nothing."""
    with suppress(OSError, ValueError):
        os.write(sys.stdout.fileno(), f"{text}\n".encode("utf-8", "replace"))


def last_reply(transcript: str) -> str:
    """The assistant's words since the last prompt, out of the end of a transcript of Claude Code."""
    said: list[str] = []
    for entry in reversed(list(entries(transcript))):
        message = entry.get("message")
        if not isinstance(message, dict) or entry.get("isSidechain"):
            continue
        words = texts(message.get("content"))
        if entry.get("type") == "assistant" and words:
            said.append("\n".join(words))
        elif entry.get("type") == "user" and words and not entry.get("isMeta"):
            break
    return "\n\n".join(reversed(said))


def entries(transcript: str) -> Iterator[dict[str, Any]]:
    """The lines of a transcript's end that are JSON objects."""
    if not transcript:
        return
    with suppress(OSError), open(os.path.expanduser(transcript), "rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - TRANSCRIPT_TAIL))
        for line in file.read().splitlines():
            with suppress(ValueError, RecursionError):
                entry = json.loads(line)
                if isinstance(entry, dict):
                    yield entry


def texts(content: Any) -> list[str]:
    """The texts of a message; results of tools are none."""
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else []
    return [
        part["text"]
        for part in parts
        if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)
    ]


def on_notify(capture: Capture, event: Mapping[str, Any]) -> None:
    """A finished turn of Codex: what was asked and what was answered."""
    if event.get("type") != "agent-turn-complete":
        return
    session, turn = session_of(event), first(event, "turn-id", "turn_id") or uuid.uuid4().hex
    asked = event.get("input-messages", event.get("input_messages", []))
    for number, text in enumerate(asked if isinstance(asked, list) else []):
        if isinstance(text, str):
            capture.record("user", session, text, key=hook_key(session, turn, "user", number))
    reply = first(event, "last-assistant-message", "last_assistant_message")
    capture.record("assistant", session, reply, key=hook_key(session, turn, "assistant"))
    capture.deliver_soon()


def read_object(text: str) -> dict[str, Any]:
    """A JSON object; an empty one for anything else."""
    with suppress(ValueError, RecursionError):
        value = json.loads(text)
        if isinstance(value, dict):
            return value
    return {}


class Input:
    """Standard input as text, as much of it as is taken; `size` is all of it, in bytes.

    The rest is read as well: whoever writes to a pipe that nobody reads is stopped by it.
    """

    def __init__(self) -> None:
        kept = sys.stdin.buffer.read(INPUT_LIMIT)
        self.text = kept.decode("utf-8", "replace")
        self.size = len(kept)
        while more := sys.stdin.buffer.read(CHUNK_BYTES):
            self.size += len(more)

    @property
    def is_whole(self) -> bool:
        """Whether nothing had to be left out."""
        return self.size <= INPUT_LIMIT


def event_of(capture: Capture) -> dict[str, Any]:
    """The event on standard input; of one that is too large its name alone, and word of it is left."""
    given = Input()
    if given.is_whole:
        return read_object(given.text)
    left_out(capture, given, "nothing of it is recorded")
    found = _EVENT_NAME.search(given.text)
    return {"hook_event_name": found.group(1)} if found else {}


def words_of(capture: Capture) -> str:
    """The words on standard input, their beginning where they are too many."""
    given = Input()
    if not given.is_whole:
        left_out(capture, given, "its beginning is recorded")
    return given.text


def left_out(capture: Capture, given: Input, what: str) -> None:
    """Say that an input was too large, now and when the next session starts."""
    complain(f"an input of {given.size} bytes is larger than {INPUT_LIMIT}: {what}")
    capture.spool.note("too-large", {"bytes": given.size, "most": INPUT_LIMIT})


class Parser(argparse.ArgumentParser):
    """Wrong arguments are told; they stop no agent."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, end well."""
        complain(message)
        self.exit(0)


def arguments_of(given: Iterable[str]) -> argparse.Namespace:
    """The command and its options."""
    parser = Parser(prog="memseek_hook.py", description="Capture for coding agents.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=Parser)
    hook = commands.add_parser("hook", help="an agent's hook: its JSON on standard input")
    hook.add_argument("--event", default="", help="the event, where the JSON does not say it")
    notify = commands.add_parser("notify", help="Codex' notify program")
    notify.add_argument("event")
    record = commands.add_parser("record", help="record words from standard input")
    record.add_argument("--role", choices=("user", "assistant", "tool"), required=True)
    record.add_argument("--session", required=True)
    record.add_argument("--key", default="", help="the same for the same words, if they may come twice")
    record.add_argument("--at", default="", help="when it was said, in ISO 8601 with a zone")
    context = commands.add_parser("context", help="print what memory knows for a task")
    context.add_argument("--session", default="")
    context.add_argument("--task", required=True)
    commands.add_parser("flush", help="deliver what waits")
    commands.add_parser("status", help="say what waits and what was set aside")
    return parser.parse_args(list(given))


def run(settings: Settings, asked: argparse.Namespace) -> None:
    """Carry a command out within its time limit."""
    deadline = Deadline(FLUSH_SECONDS if asked.command == "flush" else settings.seconds)
    deadline.enforce()
    capture = Capture(settings, deadline)
    if asked.command == "status":
        say(json.dumps(capture.state()))
    elif not settings.is_complete:
        complain("MEMSEEK_API_KEY and MEMSEEK_ENTITY have to be set; nothing is recorded")
        if asked.command == "hook":
            event = read_object(Input().text)
            tell(asked.event or first(event, "hook_event_name"), "")
    elif asked.command == "flush":
        capture.deliver()
    elif asked.command == "hook":
        on_hook(capture, event_of(capture), asked.event)
    elif asked.command == "notify":
        on_notify(capture, read_object(asked.event))
    elif asked.command == "record":
        capture.record(asked.role, asked.session, words_of(capture), key=asked.key, at=asked.at)
        capture.deliver_soon()
    elif asked.command == "context":
        say(capture.context(asked.task))


def main() -> None:
    """Run a command; an agent is never told that something failed."""
    try:
        run(Settings(os.environ), arguments_of(sys.argv[1:]))
    except SystemExit:
        pass
    except BaseException as error:
        complain(f"failed: {type(error).__name__}")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
