-- Copies of what a transition reads and changes: crawls, hosts, hosts in crawls, sites.
-- What a crawl may do in this group. Unknown means gone.
local crawls = {}
local function crawl(c)
  local m = crawls[c]
  if m ~= nil then
    return m
  end
  local v = call('HMGET', P .. c .. 'm', 'state', 'gap', 'ttl', 'fetch', 'back', 'dead', 'hp', 'hb', 'sp', 'sb')
  if not v[1] then
    crawls[c] = false
    return false
  end
  m = {
    c = c, state = v[1], gap = num(v[2]), ttl = num(v[3]), fetch = num(v[4]), back = num(v[5]), dead = num(v[6]),
    hp = num(v[7]) or INF, hb = num(v[8]) or INF, sp = num(v[9]) or INF, sb = num(v[10]) or INF,
    sums = {}, freed = 0, bytes = 0,
  }
  m.sites = m.sp < INF or m.sb < INF
  crawls[c] = m
  return m
end

-- Sums of a crawl are kept, never counted (F16).
local function add(m, name, by)
  m.sums[name] = (m.sums[name] or 0) + by
end

-- A host, shared by all crawls: two clocks, the last end, the lease and whose URLs are queued.
local hosts = {}
local host_fields = { 'f', 'nb', 'le', 'why', 'hc', 'hw', 'hg', 'hd', 'hu', 'ho', 'cr', 'op' }
local function host(name)
  local h = hosts[name]
  if h then
    return h
  end
  local v = call('HMGET', P .. 'h:' .. name, unpack(host_fields))
  h = {
    name = name, f = num(v[1]) or 0, nb = num(v[2]) or 0, le = num(v[3]) or 0, why = v[4] or 'gap',
    hc = v[5], hw = v[6], hg = num(v[7]), hd = num(v[8]), hu = num(v[9]), ho = v[10], cr = v[11] or '', op = v[12],
    old = v,
  }
  hosts[name] = h
  return h
end

local function each_crawl(h)
  return string.gmatch(h.cr, '%d+')
end

-- One host in one crawl: its queue's length, budget, health, and where it stands in the index (`at`):
-- d due, b shut out because its site is full, z to be settled by the sweep.
local pairs_of = {}
local pair_fields = { 'q', 'l', 'dp', 'lp', 'by', 'tr', 'dd', 'rd', 'tn', 'kn', 't', 'at' }
local function pair(m, name, site)
  local key = m.c .. ' ' .. name
  local p = pairs_of[key]
  if p then
    return p
  end
  local v = call('HMGET', P .. m.c .. 'p:' .. name, unpack(pair_fields))
  p = {
    m = m, name = name, q = num(v[1]) or 0, l = num(v[2]) or 0, dp = num(v[3]) or 0, lp = num(v[4]) or 0,
    by = num(v[5]) or 0, tr = num(v[6]) or 0, dd = v[7], rd = num(v[8]) or 0, tn = num(v[9]) or 0,
    kn = num(v[10]) or 0, t = v[11] == '=' and name or v[11] or site or name, at = v[12] or '', old = v, push = {},
  }
  -- Known from its first URL or first lease on: then the host names it.
  if not v[11] then
    local h = host(name)
    h.cr = h.cr == '' and m.c or h.cr .. ' ' .. m.c
    p.index = true
  end
  pairs_of[key] = p
  return p
end

local site_sums = {}
local function is_spent(m, s)
  return s.dp >= m.sp or s.by >= m.sb
end
-- Pages in flight count as if done.
local function is_full(m, s)
  return s.dp + s.lp >= m.sp or is_spent(m, s)
end
local function site_of(m, name)
  local key = m.c .. ' ' .. name
  local s = site_sums[key]
  if s then
    return s
  end
  local v = call('HMGET', P .. m.c .. 't:' .. name, 'dp', 'lp', 'by')
  s = { m = m, name = name, dp = num(v[1]) or 0, lp = num(v[2]) or 0, by = num(v[3]) or 0 }
  s.was = { s.dp, s.lp, s.by }
  s.full, s.spent = is_full(m, s), is_spent(m, s)
  site_sums[key] = s
  return s
end

local function budget_spent(m, p)
  if p.dp >= m.hp or p.by >= m.hb then
    return 'host-budget'
  end
  if m.sites and is_spent(m, site_of(m, p.t)) then
    return 'site-budget'
  end
end

local function must_settle(m, p)
  return p.dd and 'host-dead' or budget_spent(m, p)
end

local function has_work(m, p)
  return p.q > 0 and not must_settle(m, p) and not (m.sites and is_full(m, site_of(m, p.t)))
end

-- F4: the earliest start of a request: past both clocks, and the crawl's own gap after the last end.
local function clock_of(h, m)
  return math.max(h.nb, h.le > 0 and h.le + m.gap or 0, h.hu or 0)
end

-- F3: whatever moves the clocks of a host moves it for every crawl on it.
local function moved(h)
  for c in each_crawl(h) do
    local m = crawl(c)
    if m then
      pair(m, h.name).index = true
    end
  end
end

local function delay(h, till, why)
  if till > h.nb then
    h.nb, h.why = math.ceil(till), why
  end
end

local function change_queued(m, p, by)
  local before = p.q
  p.q = before + by
  add(m, 'queued', by)
  if before == 0 and p.q > 0 then
    add(m, 'hq', 1)
    p.rd, p.index = now, true
  elseif before > 0 and p.q == 0 then
    add(m, 'hq', -1)
    p.index = true
  end
end

local function change_leased(m, p, by, pages)
  p.l = p.l + by
  add(m, 'leased', by)
  if pages ~= 0 then
    local s = site_of(m, p.t)
    p.lp, s.lp = p.lp + pages, s.lp + pages
    add(m, 'lp', pages)
    m.freed = m.freed - pages
  end
end

