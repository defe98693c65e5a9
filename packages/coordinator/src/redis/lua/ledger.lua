-- F12: pages a crawl may lease under its own ceilings. ARGV[1] crawl, [2] pages wanted, [3] the operation that draws them, or
-- "" to draw none, [4] for how many ms a draw holds, [5] operations whose draws are over, with spaces between, [6] the time in
-- ms, or "" for the engine's clock, [7] "all" where all groups follow that use any, then groups: number, and what they use.
-- Answers how many were drawn, which ceiling is reached, which of the draws that are over had run out: what was leased by
-- them must be given back; and 1 where no group is missing: nothing is drawn before. Done again it changes nothing more.
local c, op = ARGV[1], ARGV[3]
if not catalog.is_listed(c) then
  return { 0, '', ARGV[5], 1 }
end
ceilings.take(c, 8, false)
if ARGV[7] == 'all' then
  call('HSET', P .. c .. 'l', 'all', '1')
end
local lost = {}
for over in string.gmatch(ARGV[5], '%S+') do
  -- Remembered for a while, in case the answer is lost.
  if call('HDEL', P .. c .. 'd', over) == 1 then
    call('SET', P .. c .. 'd:' .. over, '1', 'EX', '10')
  elseif call('EXISTS', P .. c .. 'd:' .. over) == 0 then
    lost[#lost + 1] = over
  end
end
lost = table.concat(lost, ' ')
local before = op ~= '' and call('HGET', P .. c .. 'd', op)
if before then
  return { num(string.match(before, '^%d+')), '', lost, 1 }
end
if call('HEXISTS', P .. c .. 'l', 'all') == 0 then
  return { 0, '', lost, 0 }
end
local at = catalog.time_ms(ARGV[6])
local ceiling, most = ceilings.of(c)
local _, done, leased, _, bytes = ceilings.used(c)
local used = done + leased + ceilings.drawn(c, at)
if ceiling and used >= ceiling then
  return { 0, 'pages', lost, 1 }
end
if most and bytes >= most then
  return { 0, 'bytes', lost, 1 }
end
local drawn = op == '' and 0 or math.min(num(ARGV[2]), (ceiling or INF) - used)
if ceiling and drawn > 0 then
  call('HSET', P .. c .. 'd', op, text(drawn) .. ' ' .. text(at + num(ARGV[4])))
end
return { drawn, '', lost, 1 }
