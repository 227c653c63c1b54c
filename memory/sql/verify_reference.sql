-- Rows whose foreign key points to nothing.
SELECT {key}::text FROM {child} child LEFT JOIN {parent} parent ON {same}
WHERE {is_set} AND {is_gone}
ORDER BY {key}
LIMIT %(most)s
