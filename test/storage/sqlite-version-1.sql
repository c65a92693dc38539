BEGIN IMMEDIATE;

CREATE TABLE IF NOT EXISTS claimlink_versions (version INTEGER PRIMARY KEY, oldest_code INTEGER NOT NULL) STRICT;

-- claimlink schema, version 1
CREATE TABLE claimlink_clients (
  client_id TEXT NOT NULL PRIMARY KEY,
  name TEXT,
  callback_origins TEXT,
  locale TEXT,
  branding TEXT,
  frame_ancestors TEXT
) STRICT;
CREATE TABLE claimlink_api_keys (
  id TEXT NOT NULL PRIMARY KEY,
  client_id TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  hint TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;
CREATE INDEX claimlink_api_keys_by_client ON claimlink_api_keys (client_id, created_at, id);
CREATE TABLE claimlink_sessions (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  client_id TEXT NOT NULL,
  reference TEXT NOT NULL,
  user_id TEXT NOT NULL,
  date INTEGER NOT NULL,
  cams_reference TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  selected_policy TEXT NOT NULL,
  incident TEXT,
  extra TEXT,
  link TEXT,
  UNIQUE (client_id, reference)
) STRICT;
CREATE INDEX claimlink_sessions_by_user ON claimlink_sessions (client_id, user_id, created_at DESC, reference);
CREATE INDEX claimlink_sessions_by_submission ON claimlink_sessions (client_id, sequence);
CREATE INDEX claimlink_sessions_by_date ON claimlink_sessions (date);
CREATE TABLE claimlink_links (
  client_id TEXT NOT NULL,
  access_code_hash TEXT NOT NULL,
  user_id TEXT NOT NULL,
  callback_url TEXT NOT NULL,
  callback_on_submit INTEGER NOT NULL,
  config TEXT NOT NULL,
  config_reduced INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  opened_at INTEGER,
  revoked_at INTEGER,
  submitted_at INTEGER,
  session_reference TEXT,
  PRIMARY KEY (client_id, access_code_hash)
) STRICT;
CREATE INDEX claimlink_links_by_user ON claimlink_links (client_id, user_id, created_at DESC, access_code_hash);
CREATE INDEX claimlink_links_by_expiry ON claimlink_links (expires_at);
CREATE INDEX claimlink_links_to_reduce ON claimlink_links (expires_at) WHERE NOT config_reduced;
CREATE TABLE claimlink_events (
  client_id TEXT NOT NULL,
  reference TEXT NOT NULL,
  event_id TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  failed_at INTEGER,
  reason TEXT,
  PRIMARY KEY (client_id, reference)
) STRICT;
CREATE INDEX claimlink_events_by_next_attempt ON claimlink_events (next_attempt_at, client_id, reference) WHERE failed_at IS NULL;
CREATE INDEX claimlink_events_by_failure ON claimlink_events (failed_at, client_id, reference) WHERE failed_at IS NOT NULL;
INSERT INTO claimlink_versions (version, oldest_code) VALUES (1, 1);

COMMIT;
INSERT INTO claimlink_clients (client_id, name, callback_origins, locale, branding, frame_ancestors)
VALUES ('acme', 'Acme', NULL, NULL, NULL, NULL);
INSERT INTO claimlink_sessions (sequence, client_id, reference, user_id, date, cams_reference, status, created_at, selected_policy, incident, extra, link)
VALUES (1, 'acme', 'S-1', 'user-1', 1772452800130, 'C-1', 'submitted', 1772452800123, '{"number":"P-100","provider":"Acme \"Insurance\" & Söhne","holder":{"firstName":"Ada","lastName":"O''Neill","id":"42","phone":"+44 20 7946 0000","email":"ada@example.com"},"validFrom":"2026-01-01","validTo":"2026-12-31","linkedContacts":[{"firstName":"Grace","lastName":"Hopper","email":"grace@example.com","phone":"+1 555 0100"},{"firstName":"Alan","lastName":"Turing","email":"alan@example.com"}],"vehicle":{"licensePlate":"B-CL 2026"}}', '{"date":"2026-02-27","description":"Hail.\nTwo dents, one 🚗, a \\ and a %."}', '{"ticket":42,"tags":["a","",null],"nested":{"deep":[{},[],true,1.5]}}', '{"linkId":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","extra":{"case":"K-7","parts":[1,{"left":null}]}}');
INSERT INTO claimlink_links (client_id, access_code_hash, user_id, callback_url, callback_on_submit, config, config_reduced, created_at, expires_at, opened_at, revoked_at, submitted_at, session_reference)
VALUES ('acme', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'user-1', 'https://app.example.com/done?r={SESSION_REFERENCE}#top', 0, '{"contact":{"email":"help@example.com","phone":"+44 1"},"currentUserId":"user-1"}', 1, 1772452800123, 1772452860123, NULL, NULL, 1772452800123, 'S-1');
INSERT INTO claimlink_events (client_id, reference, event_id, attempts, next_attempt_at, failed_at, reason)
VALUES ('acme', 'S-1', 'event-1', 1, 1772452801123, NULL, NULL);
