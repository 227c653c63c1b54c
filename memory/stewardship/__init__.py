"""People in charge of a memory: what they check and, later, correct, forget, erase and export."""
