-- F9: closes a crawl in this group if nothing is left here. ARGV[4] crawl, [5] "check" to look only: is it
-- still closed? What is queued, leased or waiting in the outbox keeps it open.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
local v = call('HMGET', P .. m.c .. 'c', 'queued', 'leased')
local open = (num(v[1]) or 0) + (num(v[2]) or 0) + call('XLEN', P .. m.c .. 'o')
if open > 0 or (ARGV[5] == 'check' and m.state ~= 'finished') then
  return { 'BUSY' }
end
if m.state ~= 'finished' then
  set_state(m, 'finished')
end
return { 'OK', '' }
