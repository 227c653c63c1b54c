"""PostgreSQL and a Redis-compatible broker from Python wheels, for machines that have neither.

`users.ensure_embedded` is the way in. It takes a shared lock on the data folder and makes sure that one
keeper process lives there; the keeper runs both servers as its children and ends when nobody holds the lock.

Nothing below this package imports Django, and nothing is imported here: the keeper has to start at once.
"""
