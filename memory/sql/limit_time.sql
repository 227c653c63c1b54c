-- For the rest of the transaction: a statement that runs longer is ended.
SELECT set_config('statement_timeout', %(milliseconds)s, true)
