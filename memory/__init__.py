"""Memseek's memory: conversations go in, four layers with receipts come out.

Data flows one way: door → ingest → cascade → recall → door. Each package below is one room; its docstring
says what the room is for and what it may not do.
"""
