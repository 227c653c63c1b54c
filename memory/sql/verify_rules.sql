-- Constraints, unique indexes and triggers of the tables of memory, and whether each is in force.
SELECT relation.relname::text, held.conname::text, held.convalidated
FROM pg_constraint held JOIN pg_class relation ON relation.oid = held.conrelid
WHERE relation.relnamespace = current_schema()::regnamespace AND relation.relname LIKE 'memory\_%%'
UNION ALL
SELECT relation.relname::text, index.relname::text, held.indisvalid
FROM pg_index held
JOIN pg_class relation ON relation.oid = held.indrelid
JOIN pg_class index ON index.oid = held.indexrelid
WHERE relation.relnamespace = current_schema()::regnamespace AND relation.relname LIKE 'memory\_%%'
  AND held.indisunique
  AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = held.indexrelid)
UNION ALL
-- Triggers that hold foreign keys are named by the server: their key is named instead.
SELECT DISTINCT relation.relname::text, coalesce(key.conname, held.tgname)::text, held.tgenabled <> 'D'
FROM pg_trigger held
LEFT JOIN pg_constraint key ON key.oid = held.tgconstraint AND held.tgisinternal
JOIN pg_class relation ON relation.oid = coalesce(key.conrelid, held.tgrelid)
WHERE relation.relnamespace = current_schema()::regnamespace AND relation.relname LIKE 'memory\_%%'
  AND (NOT held.tgisinternal OR key.oid IS NOT NULL)
ORDER BY 1, 2, 3
