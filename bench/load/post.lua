-- Posts the lines of a file in turn, each a body; prints what wrk counted as one line of JSON.
-- Each @SERIAL@ in a body becomes a number of eight digits that no other one has.
local MARKER = "@SERIAL@"
local serial = tonumber(os.getenv("BENCH_SERIAL") or "0")
local bodies = {}
for line in io.lines(os.getenv("BENCH_BODY")) do bodies[#bodies + 1] = line end
wrk.method = "POST"
wrk.body = bodies[1]
wrk.headers["Content-Type"] = "application/json"

-- Returns the texts around the markers.
local function parted(text)
  local parts, from = {}, 1
  while true do
    local first, last = text:find(MARKER, from, true)
    if not first then break end
    parts[#parts + 1] = text:sub(from, first - 1)
    from = last + 1
  end
  parts[#parts + 1] = text:sub(from)
  return parts
end

if #bodies > 1 or bodies[1]:find(MARKER, 1, true) then
  local requests = {}
  local at = 0
  function init()
    for n, body in ipairs(bodies) do requests[n] = parted(wrk.format(nil, nil, nil, body)) end
  end
  function request()
    at = at % #requests + 1
    local parts = requests[at]
    if #parts == 1 then return parts[1] end
    local text = { parts[1] }
    for n = 2, #parts do
      serial = serial + 1
      text[2 * n - 2] = string.format("%08d", serial)
      text[2 * n - 1] = parts[n]
    end
    return table.concat(text)
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
