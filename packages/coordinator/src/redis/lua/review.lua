-- Looks again at hosts of a crawl after its settings changed. ARGV[4] crawl, [5] which index, [6] cursor.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
m.asked = true
local scan = ARGV[5] == 'q' and 'ZSCAN' or 'SSCAN'
local found = call(scan, P .. m.c .. ARGV[5], ARGV[6], 'COUNT', 500)
for i = 1, #found[2], scan == 'ZSCAN' and 2 or 1 do
  local p = pair(m, found[2][i])
  p.index = true
  if m.sites and p.has then
    call('SADD', P .. m.c .. 'u:' .. p.t, p.name)
    local s = site_of(m, p.t)
    if is_spent(m, s) then
      call('SADD', P .. m.c .. 'w', p.t)
    end
  end
end
return { 'OK', outlook(), found[1] }
