"""Cited answers from memory: quoted without a model, or put together by one that may say only what it cites.

`answer_question` is the only function of recall that may call a model, and only where one is configured.
"""

from memory.recall.answering.answer import Answer, Citation, answer_question

__all__ = ["Answer", "Citation", "answer_question"]
