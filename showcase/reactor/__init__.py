"""The staged reactor: how a memory came about, replayed run by run from what the cascade recorded.

`stages` puts the runs in order, `then` tells how the layers stood after one of them, `steps` what it read,
decided and wrote. Nothing is simulated: what a run did not record is not shown.
"""
