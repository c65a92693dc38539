-- The script for wrk: sends one request again and again, and prints what came of it as JSON.
-- Arguments: the method and the body.

function init(args)
  wrk.method = args[1]
  -- An empty body would add a Content-Length to a GET.
  if args[2] ~= '' then wrk.body = args[2] end
end

function done(summary)
  local errors = summary.errors
  local format = 'RESULT {"requests":%d,"bytes":%d,"duration":%f,"rejected":%d,"errors":%d}\n'
  local failed = errors.connect + errors.read + errors.write + errors.timeout
  io.write(format:format(summary.requests, summary.bytes, summary.duration / 1e6, errors.status, failed))
end
