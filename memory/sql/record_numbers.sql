-- The next numbers of the record sequence, ascending.
SELECT nextval('memory_record_number') FROM generate_series(1, %(count)s)
