"""How it goes, in ids and numbers alone: what waits, what ran, what was used up, how long it took.

Everything here reads rows with a constant number of bounded statements, for `doctor`, `/metrics` and logs.
The one row it writes is the run of an answer, which recall leaves to whoever asks.
"""
