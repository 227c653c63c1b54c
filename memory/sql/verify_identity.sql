-- The greatest number of a column, and the next one that its sequence gives.
SELECT coalesce((SELECT max({column}) FROM {relation}), 0),
       (SELECT last_value + CASE WHEN is_called THEN 1 ELSE 0 END FROM {sequence})
