"""Pages of single records: scenes with their versions, the persona, atoms, messages, and traces."""
