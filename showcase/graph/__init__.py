"""The provenance graph: four columns, and between them the stored evidence.

`reading` takes the rows from the database, `drawing` makes nodes and edges of them (groups where there are
many), `layout` gives them their places. All but the reading is pure.
"""
