"""Words out: what memory holds, read for people and agents. Nothing here writes.

Every read starts from an entity, takes a number of statements that does not grow with what it finds, and
gives out the frozen records of `memory.recall.records`, which know no database.
"""
