"""A memory proxy: an OpenAI-compatible chat endpoint in front of another one.

A client changes its base URL and its key, nothing else. What memory knows for the newest words of the user
is added to the request, everything else goes through as it came, in both directions; both turns are stored.
Memory that is slow or down costs the chat its memory, never the chat.
"""
