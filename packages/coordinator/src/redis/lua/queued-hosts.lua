-- Hosts of a crawl with something queued, by name. ARGV[4] crawl, [5] the name before them, [6] how many. Changes
-- nothing. Answers the hosts, and whether any host here has had bands.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
local after, wanted, names = ARGV[5], num(ARGV[6]), {}
local function gather(some)
  for _, name in ipairs(some) do
    if name > after then
      names[#names + 1] = name
    end
  end
end
gather(call('ZRANGE', P .. m.c .. 'q', '0', '-1'))
gather(call('SMEMBERS', P .. m.c .. 'b'))
gather(call('SMEMBERS', P .. m.c .. 'z'))
table.sort(names)
local found = {}
for i = 1, math.min(wanted, #names) do
  found[i] = names[i]
end
return { 'OK', '', found, call('HEXISTS', P .. m.c .. 'c', 'bd') }
