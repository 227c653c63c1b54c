"""The skill loop: how traces became a procedure, who approved it, and what its use made of it."""
