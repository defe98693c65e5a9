-- One given host without URLs. ARGV[4] crawl, [5] worker, [6] host, [7] site, [8] operation.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
m.asked = true
if m.state ~= 'running' then
  return { 'OK', outlook(), '', '1000' }
end
local h = host(ARGV[6])
if sent_again and h.op == ARGV[8] and h.hu and not h.ho then
  return { 'OK', outlook(), text(h.f), text(m.ttl), ended_ago(h) }
end
local from = math.max(clock_of(h, m), held_group)
if from > now then
  return { 'OK', outlook(), '', text(from - now) }
end
take(m, h, ARGV[5])
pair(m, ARGV[6], ARGV[7]).tn = h.f
h.op = ARGV[8]
return { 'OK', outlook(), text(h.f), text(m.ttl), ended_ago(h) }
