-- The first statement of a transaction: all that it reads is of one moment, and nobody waits for it.
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY
