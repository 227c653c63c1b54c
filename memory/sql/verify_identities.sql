-- Columns that number themselves: table, column, and the sequence that does it.
SELECT relation.relname::text, attribute.attname::text,
       pg_get_serial_sequence(quote_ident(relation.relname), attribute.attname)
FROM pg_class relation JOIN pg_attribute attribute ON attribute.attrelid = relation.oid
WHERE relation.relnamespace = current_schema()::regnamespace AND relation.relname LIKE 'memory\_%%'
  AND relation.relkind = 'r' AND attribute.attidentity <> ''
ORDER BY 1
