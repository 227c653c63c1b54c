"""Everything that can happen to a memory, in any order, with the checker after each of it."""
