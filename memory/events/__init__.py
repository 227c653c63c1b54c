"""Streams of what happens in memory: read from the outbox in an order that no late commit can disturb.

One reader of each web process asks the database for all of its streams; a stream itself holds neither a
connection nor a thread.
"""
