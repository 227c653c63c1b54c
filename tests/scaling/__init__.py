"""That the memory may grow past one machine: whose rows a statement reaches, and by which indexes."""
