-- Foreign keys of the tables of memory: name, table and its primary key, where they point to, columns on both sides.
SELECT key.conname::text, key.conrelid::regclass::text,
       (SELECT attname::text FROM pg_constraint own
        JOIN pg_attribute ON attrelid = own.conrelid AND attnum = own.conkey[1]
        WHERE own.conrelid = key.conrelid AND own.contype = 'p'),
       key.confrelid::regclass::text,
       ARRAY(SELECT attname::text FROM unnest(key.conkey) WITH ORDINALITY AS part (number, place)
             JOIN pg_attribute ON attrelid = key.conrelid AND attnum = part.number ORDER BY part.place),
       ARRAY(SELECT attname::text FROM unnest(key.confkey) WITH ORDINALITY AS part (number, place)
             JOIN pg_attribute ON attrelid = key.confrelid AND attnum = part.number ORDER BY part.place)
FROM pg_constraint key JOIN pg_class relation ON relation.oid = key.conrelid
WHERE key.contype = 'f' AND relation.relnamespace = current_schema()::regnamespace
  AND relation.relname LIKE 'memory\_%%'
ORDER BY 2, 1
