"""The model seam: one protocol, and behind it every provider, the offline model and embedders.

Nothing here reads the database's memory rows or decides what becomes memory; providers turn a typed request
into text and an account of what it cost. SDK names appear in their provider's file only. What somebody brings
of their own has the shapes of `seams`.
"""
