-- F12: pages a crawl may still lease under its own ceilings. ARGV[1] crawl, [2] change of pages in use, [3] of
-- bytes, [4] pages wanted, [5] and [6] the ceilings or "", [7] who asks, [8] the operation. Answers how many were
-- drawn, and which ceiling is reached. Done once, however often it is sent: whoever asks does so in turn.
local key = P .. ARGV[1]
if not catalog.is_listed(ARGV[1]) then
  return { 0, '' }
end
local op, drawn_then, by_then = string.match(call('HGET', key, 'op:' .. ARGV[7]) or '', '^(%w+) (%d+) (%w*)$')
if op == ARGV[8] then
  return { num(drawn_then), by_then }
end
local function answer(drawn, by)
  call('HSET', key, 'op:' .. ARGV[7], string.format('%s %d %s', ARGV[8], drawn, by))
  return { drawn, by }
end
local pages = call('HINCRBY', key, 'drawn', ARGV[2])
local bytes = call('HINCRBY', key, 'bytes', ARGV[3])
local ceiling, most = num(ARGV[5]), num(ARGV[6])
if ceiling and pages >= ceiling then
  return answer(0, 'pages')
end
if most and bytes >= most then
  return answer(0, 'bytes')
end
local drawn = num(ARGV[4])
if ceiling then
  drawn = math.min(drawn, ceiling - pages)
  call('HINCRBY', key, 'drawn', drawn)
end
return answer(drawn, '')
