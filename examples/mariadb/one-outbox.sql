-- Moves the events of the tables events and lifeEvents, which this example had with claimlink 0.2, to the table outbox.
-- 1. Stop the processes of the old code.  2. Create the table: start the new code, or call migrate(pool).
-- 3. Run this file: mariadb --user root claims < one-outbox.sql
START TRANSACTION;
INSERT INTO outbox (id, type, clientId, reference, attempts, nextAttemptAt, failedAt, reason)
  SELECT id, 'claim.submitted', clientId, reference, attempts, nextAttemptAt, failedAt, reason FROM events;
INSERT INTO outbox (id, type, clientId, userId, at, data, attempts, nextAttemptAt, failedAt, reason)
  SELECT id, type, clientId, userId, at, data, attempts, nextAttemptAt, failedAt, reason FROM lifeEvents;
COMMIT;
DROP TABLE events, lifeEvents;
