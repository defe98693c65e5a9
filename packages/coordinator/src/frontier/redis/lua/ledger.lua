-- F12: pages a crawl may still lease under its own ceilings. ARGV[1] crawl, [2] change of pages in use, [3] of
-- bytes, [4] pages wanted, [5] and [6] the ceilings or "". Answers how many were drawn, and what the ceiling is.
local key = P .. ARGV[1]
local pages = call('HINCRBY', key, 'drawn', ARGV[2])
local bytes = call('HINCRBY', key, 'bytes', ARGV[3])
local ceiling, most = num(ARGV[5]), num(ARGV[6])
if ceiling and pages >= ceiling then
  return { 0, 'pages' }
end
if most and bytes >= most then
  return { 0, 'bytes' }
end
local drawn = num(ARGV[4])
if ceiling then
  drawn = math.min(drawn, ceiling - pages)
  call('HINCRBY', key, 'drawn', drawn)
end
return { drawn, '' }
