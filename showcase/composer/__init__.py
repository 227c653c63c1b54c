"""The recall composer: what an agent is told before a task, block by block, and why each row is in it.

It runs the function behind `/context` and records no use: looking at a page hands nothing to an agent.
"""
