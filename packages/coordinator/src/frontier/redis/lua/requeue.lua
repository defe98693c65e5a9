-- Settled URLs go back into the queue with fresh tries; their records go. ARGV[4] crawl, then for each: id of
-- its record, "f" if it was read from a file, host, site, entry, verdict, reason, status, bytes, items, edges. A
-- record that is gone already changes nothing, so doing it twice is doing it once.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
local count = 0
-- What is in a file, or may be soon, is passed over by whoever reads the file.
local function remove(id, place)
  if place == 'f' then
    return call('SADD', P .. m.c .. 'd', id) == 1
  end
  if call('XDEL', P .. m.c .. 'r', id) == 0 then
    return false
  end
  if is_claimed(m, id) then
    call('SADD', P .. m.c .. 'd', id)
  end
  return true
end
for at = 5, #ARGV, 11 do
  if remove(ARGV[at], ARGV[at + 1]) then
    local i = at + 1
    local p = pair(m, ARGV[i + 1], ARGV[i + 2])
    local _, tail = split_entry(ARGV[i + 3])
    local class = class_of(ARGV[i + 4] .. ' ' .. ARGV[i + 5] .. ' ' .. ARGV[i + 6])
    count_records(m, p, class, -1, is_page(tail) and -1 or 0, -num(ARGV[i + 7]))
    add(m, 'items', -num(ARGV[i + 8]))
    add(m, 'edges', -num(ARGV[i + 9]))
    p.dd, p.tr, p.index = false, 0, true
    push(p, ARGV[i + 3], tail)
    change_queued(m, p, 1)
    count = count + 1
  end
end
m.asked = true
if count > 0 then
  open_again(m)
end
-- The answer that said so may have been lost.
m.reopened = m.reopened or sent_again
return { 'OK', outlook(), count }
