-- Where a URL is. ARGV[4] crawl, [5] host, [6] fingerprint, [7] key.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
buckets(m)
if call('SISMEMBER', P .. m.c .. 'k' .. bucket(m, ARGV[6]), ARGV[6]) == 0 then
  return { 'OK', '', 'unknown' }
end
local h, p = host(ARGV[5]), pair(m, ARGV[5])
if h.hc == m.c then
  for _, entry in ipairs(leased_of(h)) do
    local key, tail = split_entry(entry)
    if key == ARGV[7] then
      return { 'OK', '', 'leased', tail, h.hw, text(now - h.hg) }
    end
  end
end
local queued = count_queued(p)
return { 'OK', '', 'elsewhere', text(now), { h.name, queued, text(clock_of(h, m)), text(h.hu or 0), h.why, p.dd and '1' or '',
  text(p.dp), text(p.by), text(p.tr) },
  m.upgrades and call('HGET', upgrades_of(m, ARGV[5]), ARGV[7]) or '' }
