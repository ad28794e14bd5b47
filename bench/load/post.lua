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
  local points = {}
  for at in string.gmatch(os.getenv("BENCH_PERCENTILES"), "%S+") do
    local ends = { ["0"] = latency.min, ["100"] = latency.max }
    points[#points + 1] = string.format("[%s,%.3f]", at, (ends[at] or latency:percentile(tonumber(at))) / 1e3)
  end
  io.write(string.format(
    '{"seconds":%.3f,"answered":%d,"refused":%d,"broken":%d,"curve":[%s]}\n',
    summary.duration / 1e6, summary.requests, refused, broken, table.concat(points, ",")))
end
