"""Texts to vectors: one protocol, its providers, and a query's vector within a time limit.

Everything that needs numpy or a package of vectors imports it late: a process that embeds nothing pays
nothing, and an installation without the extra `embeddings` starts.
"""
