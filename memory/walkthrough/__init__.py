"""The live walkthrough: a scripted tour of the ladder, and a prompt with the commands to look at it.

`commands`, `rendering` and `shell` know no Django: they talk to a `Memory`, which `local` gives for this
process's database and a client may give over HTTP.
"""
