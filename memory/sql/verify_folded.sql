-- Messages that the summary or brief of their session stands for, and that are no receipt of it. What was stored later,
-- in a gap below the fold, is none either: a session stores in the order of `seq`, so the next receipt is older then.
WITH uncited AS MATERIALIZED (
    SELECT digest.id AS digest, message.id AS message
    FROM memory_digest digest
    JOIN memory_message message ON message.session_id = digest.session_id AND message.ordinal < digest.until_ordinal
    WHERE digest.is_head AND (%(entity)s::uuid IS NULL OR digest.entity_id = %(entity)s::uuid)
      AND NOT EXISTS (
          SELECT 1 FROM memory_evidence receipt
          WHERE receipt.of_digest_id = digest.id AND receipt.message_id = message.id
      )
), covered AS (
    -- Beside each message the number of receipts from its place on: what lies between two of them has one number.
    SELECT digest.id AS digest, digest.kind, message.id, message.entity_id, message.seq, receipt.id AS receipt,
           count(receipt.id) OVER (PARTITION BY digest.id ORDER BY message.ordinal DESC) AS receipts
    FROM memory_digest digest
    JOIN memory_message message ON message.session_id = digest.session_id AND message.ordinal < digest.until_ordinal
    LEFT JOIN memory_evidence receipt ON receipt.of_digest_id = digest.id AND receipt.message_id = message.id
    WHERE digest.id IN (SELECT digest FROM uncited)
), beside AS (
    SELECT *, max(seq) FILTER (WHERE receipt IS NOT NULL) OVER (PARTITION BY digest, receipts) AS next_receipt
    FROM covered
)
SELECT entity.name, 'memory_message ' || beside.id, ' of the ' || beside.kind
FROM beside
JOIN memory_entity entity ON entity.id = beside.entity_id
WHERE beside.receipt IS NULL AND (beside.next_receipt IS NULL OR beside.next_receipt > beside.seq)
ORDER BY beside.id, beside.kind
LIMIT %(most)s
