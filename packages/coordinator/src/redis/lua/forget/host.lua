-- URLs of a host that is to be forgotten go, with all that is counted of them. ARGV[4] crawl, [5] host, [6] site, [7] "" or
-- "end", then for each URL either
--   q list entry print                                         (queued)
--   s id f entry class bytes items edges print                 (settled; f: "f" if its record is in a file)
-- One that is gone already changes nothing, so doing it twice is doing it once. Leases of the host are over. With "end" the
-- host goes too, unless something is queued, or a request may still be under way. Answers how many went, and for how long the
-- host is held, or "".
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
local p, h, count, queued = pair(m, ARGV[5], ARGV[6]), host(ARGV[5]), 0, 0
if h.hc == m.c and not h.ho then
  expire(h)
end
buckets(m)
local function known_no_more(print)
  call('SREM', P .. m.c .. 'k' .. bucket(m, print), print)
  add(m, 'known', -1)
  m.known = m.known - 1
  count = count + 1
end
local at = 8
while at <= #ARGV do
  if ARGV[at] == 'q' then
    if call('LREM', P .. m.c .. ARGV[at + 1] .. p.name, '1', ARGV[at + 2]) > 0 then
      queued = queued + 1
      known_no_more(ARGV[at + 3])
    end
    at = at + 4
  else
    local class = class_of(ARGV[at + 4])
    local bytes, items, edges = num(ARGV[at + 5]), num(ARGV[at + 6]), num(ARGV[at + 7])
    if unsettle(m, p, ARGV[at + 3], ARGV[at + 1], ARGV[at + 2] == 'f', class, bytes, items, edges) then
      known_no_more(ARGV[at + 8])
    end
    at = at + 9
  end
end
if queued > 0 then
  change_queued(m, p, -queued)
end
m.asked = true
local held = h.hc == m.c and h.hu and h.hu > now and text(math.ceil(h.hu - now)) or ''
if ARGV[7] ~= 'end' or held ~= '' or has_queued(p) then
  return { 'OK', outlook(), count, held }
end
if h.hc == m.c then
  outlive(h)
end
if p.kn ~= '0' then
  add(m, 'hosts', -1)
end
p.index = true
local s, left = site_of(m, p.t), {}
for c in each_crawl(h) do
  if c ~= m.c then
    left[#left + 1] = c
  end
end
h.cr = table.concat(left, ' ')
local answer = outlook()
-- Everything is written by now.
local own = P .. m.c
call('DEL', own .. 'p:' .. p.name, own .. 'v:' .. p.name, own .. 'l:' .. p.name)
if s.dp == 0 and s.lp == 0 and s.by == 0 then
  call('DEL', own .. 't:' .. s.name)
  call('SREM', own .. 'w', s.name)
end
if #left == 0 then
  call('DEL', P .. 'h:' .. h.name)
  call('ZREM', P .. 'x', h.name)
end
return { 'OK', answer, count, '' }
