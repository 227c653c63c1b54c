"""Pages for people: what memory holds, rendered on the server from real rows. They write nothing."""
