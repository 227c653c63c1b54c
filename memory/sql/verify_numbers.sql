-- The greatest record number of any layer, and the next one that the sequence gives.
SELECT greatest(
    (SELECT max(seq) FROM memory_message), (SELECT max(seq) FROM memory_atom),
    (SELECT max(seq) FROM memory_sceneversion), (SELECT max(seq) FROM memory_traitversion),
    (SELECT max(seq) FROM memory_procedureversion), 0
), (SELECT last_value + CASE WHEN is_called THEN 1 ELSE 0 END FROM memory_record_number)
