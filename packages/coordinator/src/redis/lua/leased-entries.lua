-- What of a crawl is leased: hosts, each with its unsettled entries as they are kept. ARGV[4] crawl. Changes nothing.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
local found = {}
for _, name in ipairs(call('ZRANGE', P .. 'x', '0', '-1')) do
  local h = host(name)
  local entries = h.hc == m.c and not h.ho and read(P .. m.c .. 'l:' .. name)
  if entries then
    found[#found + 1] = name
    found[#found + 1] = entries
  end
end
return { 'OK', '', found }
