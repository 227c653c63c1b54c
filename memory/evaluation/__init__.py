"""How well memory recalls and answers, judged by questions whose evidence is known.

A room of its own because it stands outside of the product: it fills a memory as its users do, asks as they
ask, and compares with what simpler methods find in the same words. Nothing of the product calls it. Metrics,
questions and baselines are pure.
"""
