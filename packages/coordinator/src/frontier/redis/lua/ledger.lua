-- F12: pages a crawl may still lease under its own ceilings. ARGV[1] crawl, [2] change of pages in use, [3] of
-- bytes, [4] pages wanted, [5] and [6] the ceilings or "". Answers how many were drawn, and what the ceiling is.
local key = KEYS[1] .. ARGV[1]
local pages = redis.call('HINCRBY', key, 'drawn', ARGV[2])
local bytes = redis.call('HINCRBY', key, 'bytes', ARGV[3])
local ceiling, most = tonumber(ARGV[5]), tonumber(ARGV[6])
if ceiling and pages >= ceiling then
  return { 0, 'pages' }
end
if most and bytes >= most then
  return { 0, 'bytes' }
end
local drawn = tonumber(ARGV[4])
if ceiling then
  drawn = math.min(drawn, ceiling - pages)
  redis.call('HINCRBY', key, 'drawn', drawn)
end
return { drawn, '' }
