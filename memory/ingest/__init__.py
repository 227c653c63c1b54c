"""Words in: workspaces, entities, sessions and messages. Every door that takes in words calls this room.

It decides what may be stored, stores it all or not at all, and marks what the cascade has to read.
"""
