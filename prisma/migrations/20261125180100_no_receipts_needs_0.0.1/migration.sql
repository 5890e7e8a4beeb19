-- Confirmations are computed, not stored. No release had receipts.
DROP TABLE receipts;
