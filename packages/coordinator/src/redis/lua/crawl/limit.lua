-- F12: ends a crawl at a ceiling of its own, if that is reached and nothing is drawn or leased. ARGV[1] crawl, [2] the time in
-- ms, or "" for the engine's clock, [3] how many changes the ledger had when the groups that follow were looked at, or "",
-- [4] "all" or "some": which groups those are; then groups: number, and what they use. Answers OK, what is in force and which
-- ceiling that is, also where it was ended so before; NO; LOOK, the number of changes, all or some, and which groups are
-- to be looked at first: a process may have died before it could bring what they said.
local c = ARGV[1]
if not catalog.is_listed(c) then
  return { 'GONE' }
end
local key = P .. c
local state = call('HGET', key, 'state')
if state == 'limited' then
  return { 'OK', catalog.change(c), call('HGET', key, 'limitedBy') or '' }
end
local is_seen = ARGV[3] ~= '' and ARGV[3] == (call('HGET', key .. 'l', 'v') or '0')
if is_seen then
  ceilings.take(c, 5, true)
end
local ceiling, most = ceilings.of(c)
local v, done, leased, all_leased, bytes = ceilings.used(c)
local by = ceiling and done >= ceiling and 'pages' or most and bytes >= most and 'bytes'
local may_be = by or ceiling and done + leased >= ceiling
if state ~= 'running' or not may_be or call('HEXISTS', key .. 'l', 'all') == 0 or ceilings.drawn(c, catalog.time_ms(ARGV[2])) > 0 then
  return { 'NO' }
end
if all_leased > 0 then
  return is_seen and { 'NO' } or { 'LOOK', text(v), 'some', ceilings.groups(c, true) }
end
if not by then
  return { 'NO' }
end
if not is_seen or ARGV[4] ~= 'all' then
  return { 'LOOK', text(v), 'all', ceilings.groups(c, false) }
end
call('HSET', key, 'state', 'limited', 'limitedBy', by)
call('HINCRBY', key, 'order', 1)
catalog.note(c)
return { 'OK', catalog.change(c), by }
