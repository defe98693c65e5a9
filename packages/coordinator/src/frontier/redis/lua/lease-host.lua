-- One given host without URLs. ARGV[4] crawl, [5] worker, [6] host, [7] site.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
m.asked = true
if m.state ~= 'running' then
  return { 'OK', outlook(), '', '1000' }
end
local h = host(ARGV[6])
local from = math.max(clock_of(h, m), held_group)
if from > now then
  return { 'OK', outlook(), '', text(from - now) }
end
take(m, h, ARGV[5])
pair(m, ARGV[6], ARGV[7]).tn = h.f
return { 'OK', outlook(), text(h.f), text(m.ttl) }
