#!/usr/bin/env bash
# Runs a command beside a mock, with its address in MOCK_URL: ./with-mock.sh npm test
set -euo pipefail
ready=$(mktemp)
# Not npx: $! would be the process id of npx.
node_modules/.bin/claimlink mock --port 0 --log silent --ready-json >"$ready" &
mock=$!
trap 'kill "$mock" 2>/dev/null || true; wait "$mock" || true; rm "$ready"' EXIT
until [ -s "$ready" ]; do
  kill -0 "$mock" # fails if the mock has ended: its message is on stderr
  sleep 0.1
done
MOCK_URL=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1], "utf8")).url' "$ready")
export MOCK_URL
"$@"
