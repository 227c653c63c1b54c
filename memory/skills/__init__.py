"""Skills: traces become drafts, people approve them, uses and feedback lead to the next draft."""
