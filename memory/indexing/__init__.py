"""From rows to search units: what is said becomes terms, statistics and vectors.

This room is the only writer of search units. Its analyser decides what a word is, for the index and for
the query alike, so that both always agree; it is pure and knows neither Django nor the database.
"""
