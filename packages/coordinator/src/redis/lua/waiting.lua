-- The hosts of a crawl that are due next. ARGV[4] crawl, [5] how many. Changes nothing that matters.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
local wanted, found = num(ARGV[5]), {}
for _, name in ipairs(call('ZRANGE', P .. m.c .. 'q', 0, wanted + 19)) do
  local p = pair(m, name)
  if #found < wanted and has_work(m, p) then
    local h = host(name)
    local queued = count_queued(p)
    found[#found + 1] = { name, queued, text(clock_of(h, m)), text(h.hu or 0), h.why, '',
      text(p.dp), text(p.by), text(p.tr) }
  end
end
return { 'OK', '', text(now), found }
