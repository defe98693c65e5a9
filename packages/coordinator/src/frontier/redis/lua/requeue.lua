-- Settled URLs go back into the queue with fresh tries; their records go. ARGV[4] crawl, then for each: id of
-- its record, host, site, entry, verdict, reason, status, bytes, items, edges. A record that is gone already
-- changes nothing, so doing it twice is doing it once.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
local count = 0
for i = 5, #ARGV, 10 do
  if call('XDEL', P .. m.c .. 'r', ARGV[i]) == 1 then
    local p = pair(m, ARGV[i + 1], ARGV[i + 2])
    local _, tail = split_entry(ARGV[i + 3])
    local record = { verdict = ARGV[i + 4], reason = ARGV[i + 5], status = ARGV[i + 6], bytes = num(ARGV[i + 7]) }
    record.page = is_page(tail)
    count_record(m, p, record, -1)
    add(m, 'items', -num(ARGV[i + 8]))
    add(m, 'edges', -num(ARGV[i + 9]))
    p.dd, p.tr, p.index = false, 0, true
    push(p, ARGV[i + 3], tail)
    change_queued(m, p, 1)
    count = count + 1
  end
end
m.asked = true
if count > 0 and m.state == 'finished' then
  m.reopened = true
  set_state(m, 'running')
end
return { 'OK', outlook(), count }
