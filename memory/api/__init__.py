"""The HTTP door: JSON over bearer keys. It reads requests, calls a room, and writes replies and errors."""
