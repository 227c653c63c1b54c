-- For the rest of the transaction: the time limit, and how widely a vector index is searched (its results are
-- never more than this).
SELECT set_config('statement_timeout', %(milliseconds)s, true), set_config('hnsw.ef_search', %(width)s, true)
