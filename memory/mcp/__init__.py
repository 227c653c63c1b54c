"""The MCP door: a memory's tools and resources for agents, over HTTP at `/mcp` and over standard streams.

A door like the API beside it: it reads the same request classes, calls the same rooms and gives out the same
bodies and errors. The SDK costs a web process 30 MB and half a second, so that only `server`, `stdio` and
`bridge` import it, and those are imported when the first client comes.
"""
