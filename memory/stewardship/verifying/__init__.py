"""What `verify` looks for: each check is a query for rows that break one rule. Reads only.

Most rules the database enforces itself. Looking again finds what a restore, a lost constraint or a mistake in
the cascade would leave behind.
"""
