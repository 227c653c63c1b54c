"""How often a key and an address may ask: counters in Redis, in the process itself while Redis is away.

Rates protect the others, so nothing of this ever fails a request: without an answer the process counts alone.
"""
