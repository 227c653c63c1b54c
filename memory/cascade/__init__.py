"""L0 → L1 → L2 → L3: the engine that runs a step, and one module for each step.

The engine (claim, read, call, validate, commit) is written once; a step says what is pending, what the model
sees, what an answer may do and how it is written. No model call happens inside a transaction.
"""
