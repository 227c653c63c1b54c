"""The model that needs no key, no server and no network: fixed rules over cue lists.

It answers the same typed requests as a language model, from the payload alone. No randomness and no clock:
the same words give the same memory. What it cannot read it leaves at the messages.
"""

from memory.llm.offline.model import OFFLINE_MODEL_NAME, OfflineModel

__all__ = ["OFFLINE_MODEL_NAME", "OfflineModel"]
