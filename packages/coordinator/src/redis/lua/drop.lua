-- Queued URLs of a host are refused. ARGV[4] crawl, [5] host, [6] site, [7] reason, [8] list, [9] and [10] between which
-- places of it they stand, then their entries. One that is gone already changes nothing, so doing it twice is doing it
-- once. Each gets an empty text first: all of these are then removed together, as far as the last of them.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
local p = pair(m, ARGV[5], ARGV[6])
local list, from, wanted, entries = P .. m.c .. ARGV[8] .. p.name, num(ARGV[9]), {}, {}
for i = 11, #ARGV do
  wanted[ARGV[i]] = true
end
for i, entry in ipairs(call('LRANGE', list, ARGV[9], ARGV[10])) do
  if wanted[entry] then
    entries[#entries + 1] = entry
    call('LSET', list, text(from + i - 1), '')
  end
end
if #entries > 0 then
  call('LREM', list, text(#entries), '')
end
local count = settle_unfetched(m, p, entries, ARGV[7])
p.index = true
m.asked = true
return { 'OK', outlook(), count }
