"""Pure rules of the cascade: sections, differences, handles, answers, grounding, batches, budgets.

Everything here is a deterministic function of its arguments. Nothing imports Django, reads a clock
or touches a row, so every rule can be tested by properties alone.
"""
