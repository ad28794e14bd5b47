-- Posts one body over and over; prints what wrk counted as one line of JSON.
local path = os.getenv("BENCH_BODY")
local file = assert(io.open(path, "rb"))
wrk.method = "POST"
wrk.body = file:read("*a")
wrk.headers["Content-Type"] = "application/json"
file:close()

function done(summary, latency)
  local refused = summary.errors.status
  local broken = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format(
    '{"seconds":%.3f,"answered":%d,"refused":%d,"broken":%d,"p50Ms":%.3f,"p99Ms":%.3f}\n',
    summary.duration / 1e6, summary.requests, refused, broken,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
