-- How long a crawl has run, over all coordinators. ARGV[1] crawl, [2] for how many ms the caller has run it since it last
-- said so, [3] in all, as far as it knows, [4] the time in ms, or "" for the engine's clock. Answers the sum, or GONE. Of
-- several that run it at once, none adds time before the last that another one has added.
local key = P .. ARGV[1]
if not catalog.is_listed(ARGV[1]) then
  return 'GONE'
end
local v = call('HMGET', key, 'ran', 'ranAt')
local at = catalog.time_ms(ARGV[4])
local apart = v[2] and math.max(0, at - num(v[2])) or 0
local ran = math.max((num(v[1]) or 0) + math.min(num(ARGV[2]), apart), num(ARGV[3]))
call('HSET', key, 'ran', text(ran), 'ranAt', text(at))
return text(ran)
