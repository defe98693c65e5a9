-- F9: marks a crawl in this group as closed if nothing is left here: what is queued, leased or waiting in the outbox
-- keeps it open. ARGV[4] crawl, [5] what the caller saw before, or "" to set the mark. Answers how often the group was
-- opened so far; BUSY where something is left, or has come in since the caller saw that number.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
local v = call('HMGET', P .. m.c .. 'c', 'queued', 'leased', 'opened')
local open = (num(v[1]) or 0) + (num(v[2]) or 0) + call('XLEN', P .. m.c .. 'o')
local opened = v[3] or '0'
if open > 0 or (ARGV[5] ~= '' and (not m.closed or ARGV[5] ~= opened)) then
  return { 'BUSY' }
end
if not m.closed then
  set_state(m, m.state, true)
end
return { 'OK', '', opened }
