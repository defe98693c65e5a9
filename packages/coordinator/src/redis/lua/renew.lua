-- ARGV[4] crawl, [5] host, [6] fence.
local m, h = crawl(ARGV[4]), host(ARGV[5])
if not m or h.hc ~= ARGV[4] or h.ho or h.f ~= num(ARGV[6]) or now >= h.hd then
  return { 'STALE' }
end
h.hd = now + m.ttl
h.hu = h.hd + m.fetch + m.gap
ends[h.name] = h.hd
moved(h)
return { 'OK', outlook(), text(m.ttl) }
