-- Posts the lines of a file in turn, each a body; prints what wrk counted as one line of JSON.
local bodies = {}
for line in io.lines(os.getenv("BENCH_BODY")) do bodies[#bodies + 1] = line end
wrk.method = "POST"
wrk.body = bodies[1]
wrk.headers["Content-Type"] = "application/json"

if #bodies > 1 then
  local requests = {}
  local at = 0
  function init()
    for n, body in ipairs(bodies) do requests[n] = wrk.format(nil, nil, nil, body) end
  end
  function request()
    at = at % #requests + 1
    return requests[at]
  end
end

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
