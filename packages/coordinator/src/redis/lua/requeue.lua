-- Settled URLs go back into the queue with fresh tries; their records go. ARGV[4] crawl, then for each: id of
-- its record, "f" if it was read from a file, host, site, entry, verdict, reason, status, bytes, items, edges. A
-- record that is gone already changes nothing, so doing it twice is doing it once.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
local count = 0
for at = 5, #ARGV, 11 do
  local id, in_file, name, site, entry = ARGV[at], ARGV[at + 1] == 'f', ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]
  local class = class_of(ARGV[at + 5] .. ' ' .. ARGV[at + 6] .. ' ' .. ARGV[at + 7])
  local p = pair(m, name, site)
  if unsettle(m, p, entry, id, in_file, class, num(ARGV[at + 8]), num(ARGV[at + 9]), num(ARGV[at + 10])) then
    p.dd, p.tr = false, 0
    queue_again(m, p, entry)
    count = count + 1
  end
end
m.asked = true
-- The answer that said so may have been lost.
m.reopened = m.reopened or sent_again
return { 'OK', outlook(), count }
