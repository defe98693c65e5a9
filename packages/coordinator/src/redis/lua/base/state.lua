-- Copies of what a transition reads and changes: crawls, hosts, hosts in crawls, sites.

local stream_at, stream_id
-- Adds to a stream at the group's time. Where a clock went back, by too little to be noticed, it goes right
-- behind the last one: an error would leave a transition half done.
local function append(stream, ...)
  if stream_at ~= now then
    stream_at, stream_id = now, text(now) .. '-*'
  end
  local id = pcall('XADD', stream, stream_id, ...)
  if type(id) == 'string' then
    return id
  end
  return call('XADD', stream, string.match(stream_info(stream, 'last-generated-id'), '^%d+') .. '-*', ...)
end

-- What a crawl may do in this group; the same words in every group, so they are taken apart once.
local settings, settings_count = {}, 0
local function read_settings(words)
  local found = settings[words]
  if found then
    return found
  end
  local w = {}
  for word in string.gmatch(words, '%S+') do
    w[#w + 1] = word
  end
  local state, mark = string.match(w[1], '^(%a+)(!?)$')
  for i = #w + 1, 12 do
    w[i] = '-'
  end
  local m = {
    state = state, closed = mark == '!' or state == 'finished', gap = num(w[2]), ttl = num(w[3]), fetch = num(w[4]), back = num(w[5]), dead = num(w[6]),
    hp = num(w[7]) or INF, hb = num(w[8]) or INF, sp = num(w[9]) or INF, sb = num(w[10]) or INF,
    poison = num(w[11]) or INF, bounded_whole = string.byte(w[11], -1) == 46, upgrades = w[12] == '1', order = num(w[13]) or 0,
    words = words, plain = table.concat(w, ' ', 1, 12),
  }
  m.sites = m.sp < INF or m.sb < INF
  m.bounded = m.sites or m.hp < INF or m.hb < INF
  if settings_count > 1000 then
    settings, settings_count = {}, 0
  end
  found = { __index = m }
  settings[words], settings_count = found, settings_count + 1
  return found
end

-- Unknown means gone.
local function crawl(c)
  local m = crawls[c]
  if m ~= nil then
    return m
  end
  local words = read(P .. c .. 'm')
  m = words and setmetatable({ c = c, sums = {}, stored = {} }, read_settings(words))
  crawls[c] = m
  return m
end

-- Sums of a crawl are kept, never counted (F16).
local function add(m, name, by)
  m.sums[name] = (m.sums[name] or 0) + by
end

-- F9: a group in which nothing is left carries a mark behind the state: "nothing has come in since". The mark
-- forbids nothing, so it does no harm where a finisher died. `opened` counts how often it went: a mark seen twice
-- with the same count was there all the time.
local function set_state(m, state, mark)
  if m.closed and not mark then
    add(m, 'opened', 1)
  end
  m.state, m.closed = state, mark or state == 'finished'
  m.words = string.gsub(m.words, '^%S+', state .. (mark and '!' or ''))
  call('SET', P .. m.c .. 'm', m.words)
end

-- F20: the changes of a crawl have numbers, and a group takes none that is older than the last it heard of: whoever tells
-- it late, or tells it again, changes nothing. The number stands behind the settings.
local function set_order(m, order)
  m.order, m.words = order, m.plain .. ' ' .. text(order)
end

-- Something has come in. The caller tells the whole store, because the crawl may be finished.
local function open_again(m)
  if m.closed then
    m.reopened = true
    set_state(m, m.state == 'finished' and 'running' or m.state)
  end
end

-- A host, shared by all crawls: crawls that have it; fence, notBefore, last end, why, last operation; the lease:
-- crawl, granted, deadline, heldUntil, over (2: its entry, charged before, is being fetched), worker. Written as "crawls;clocks;lease" as far as there is any.
-- Rebuilds a host whose text cannot be read from what is left: the crawls it names or that know it, and which of them
-- has leased entries. Its fence continues far above any fence in use, and the host rests for as long as a lease may last.
local function rescue_host(h, s)
  set_aside('h:' .. h.name, s)
  h.f, h.nb, h.le, h.why, h.op, h.old = math.floor(now), 0, 0, 'held', '', s
  h.cr = string.match(s, '^[%d ]*')
  for c, m in pairs(crawls) do
    if m and not string.find(' ' .. h.cr .. ' ', ' ' .. c .. ' ', 1, true) and read(P .. c .. 'p:' .. h.name) then
      h.cr = h.cr == '' and c or h.cr .. ' ' .. c
    end
  end
  h.hc, h.hw, h.hg, h.hd, h.hu, h.ho = nil, nil, nil, nil, nil, nil
  for c in string.gmatch(h.cr, '%d+') do
    local m = crawl(c)
    if m then
      h.nb = math.max(h.nb, math.ceil(now) + m.ttl + m.fetch + m.gap)
      if not h.hc and read(P .. c .. 'l:' .. h.name) then
        h.hc, h.hw, h.hg, h.hd, h.hu, h.ho = c, '?', math.floor(now), math.floor(now), h.nb, false
        ends[h.name] = h.hd
      end
    end
  end
  if not h.hu then
    ends[h.name] = false
  end
end

-- False where the text is not what `write_host` writes.
local function read_host(h, s)
  local cr, clocks, lease = string.match(s, '^([%d ]*);?([^;]*);?(.*)$')
  if not cr then
    return false
  end
  h.cr, h.old = cr, s
  if clocks ~= '' then
    local f, nb, le, why, op = string.match(clocks, '^(%d+) (%d+) (%d+) (%S+) ?(.*)$')
    if not f then
      return false
    end
    h.f, h.nb, h.le, h.why, h.op = num(f), num(nb), num(le), why, op
  end
  if lease ~= '' then
    local hc, hg, hd, hu, ho, hw = string.match(lease, '^(%d+) (%d+) (%d+) (%d+) ([012]) (.*)$')
    if not hc then
      return false
    end
    h.hc, h.hg, h.hd, h.hu, h.ho, h.hw = hc, num(hg), num(hd), num(hu), ho == '1', hw
    h.begun = ho == '2'
  end
  return true
end

local function host(name)
  local h = hosts[name]
  if h then
    return h
  end
  h = { name = name, f = 0, nb = 0, le = 0, why = 'gap', op = '', cr = '' }
  hosts[name] = h
  local s = read(P .. 'h:' .. name)
  if s and not read_host(h, s) then
    rescue_host(h, s)
  end
  return h
end

local function write_host(h)
  local s = h.cr
  if h.f > 0 or h.nb > 0 then
    s = string.format('%s;%d %d %d %s %s', s, h.f, h.nb, h.le, h.why, h.op)
    if h.hu then
      local lease = { h.hc, text(h.hg), text(h.hd), text(h.hu), h.ho and '1' or h.begun and '2' or '0', h.hw }
      s = s .. ';' .. table.concat(lease, ' ')
    end
  end
  if s ~= h.old then
    write(P .. 'h:' .. h.name, s)
  end
end

local function each_crawl(h)
  return string.gmatch(h.cr, '%d+')
end

local function name_crawl(h, c)
  if not string.find(' ' .. h.cr .. ' ', ' ' .. c .. ' ', 1, true) then
    h.cr = h.cr == '' and c or h.cr .. ' ' .. c
  end
end

-- The lists of a host's queue in the order they are served: sitemaps, the others, and the bands behind, which only hosts
-- of jobs that ask for an order have.
local levels_plain = { '0:', '1:' }
local levels_of_bands = { '0:', '1:', '2:', '3:', '4:', '5:', '6:', '7:', '8:' }
local function levels_of(p)
  return p.kn == '2' and levels_of_bands or levels_plain
end
local function has_bands(p)
  p.kn = '2'
  add(p.m, 'bd', 1)
end
local function note_level(p, level)
  if level > '1:' and p.kn ~= '2' then
    has_bands(p)
  end
end

local function queued_in(p, level)
  return call('LLEN', P .. p.m.c .. level .. p.name)
end
local function count_queued(p)
  local count = 0
  for _, level in ipairs(levels_of(p)) do
    count = count + queued_in(p, level)
  end
  return count
end
local function has_queued(p)
  return queued_in(p, '1:') > 0 or queued_in(p, '0:') > 0 or (p.kn == '2' and count_queued(p) > 0)
end

-- A host in a crawl begun anew: its queue is there, its sums are lost. It is a site of its own from now on.
local function rescue_pair(p, s)
  local c = p.m.c
  set_aside(c .. 'p:' .. p.name, s)
  p.t, p.old, p.index = p.name, s, true
  has_bands(p)
  p.has = has_queued(p)
  call('ZREM', P .. c .. 'q', p.name)
  call('SREM', P .. c .. 'b', p.name)
  call('SREM', P .. c .. 'z', p.name)
end

-- One host in one crawl: pages done and leased, bytes, troubles, ready since, turn, whether a URL of it is
-- known (2: and it has had bands); its place in the index (d due, b shut out because its site is full, z to be
-- settled, - none), why it is dead, its site ("=": itself). How many are queued is the length of its lists: so a URL that joins a
-- queue writes nothing but itself. Whether any are (`has`) is known from the place: without, it has none.
local function pair(m, name, site)
  local key = m.c .. ' ' .. name
  local p = pairs_of[key]
  if p then
    return p
  end
  local s = read(P .. m.c .. 'p:' .. name)
  local dp, lp, by, tr, rd, tn, kn, at, dd, t
  if s then
    dp, lp, by, tr, rd, tn, kn, at, dd, t =
      string.match(s, '^(%-?%d+) (%-?%d+) (%-?%d+) (%d+) (%d+) (%d+) ([012]) ([dbz-]) (%S+) (%S+)$')
  end
  if dp then
    p = {
      m = m, name = name, dp = num(dp), lp = num(lp), by = num(by), tr = num(tr), rd = num(rd), tn = num(tn),
      kn = kn, at = at, dd = dd ~= '-' and dd, t = t == '=' and name or t, old = s, has = at ~= '-',
    }
  else
    p = {
      m = m, name = name, has = false, dp = 0, lp = 0, by = 0, tr = 0, rd = 0, tn = 0, kn = '0', at = '-', dd = false,
      t = site or name,
    }
    if s then
      rescue_pair(p, s)
    end
    -- From its first URL or first lease on the host names the crawl.
    name_crawl(host(name), m.c)
  end
  pairs_of[key] = p
  return p
end

-- The crawls that may have something on this host. One that is gone, or closed in this group (F9), has nothing, and the
-- host names it no more until it has: what a host costs depends on what runs, not on all that ever had it. As long as
-- troubles are counted for it, it is named, because an answer to any crawl ends them.
local function live_crawls(h)
  local live, names = {}, {}
  for c in each_crawl(h) do
    local m = crawl(c)
    if m and (not m.closed or pair(m, h.name).tr > 0) then
      live[#live + 1] = m
      names[#names + 1] = c
    end
  end
  h.cr = table.concat(names, ' ')
  return ipairs(live)
end

local function write_pair(p)
  local s = string.format('%d %d %d %d %d %d %s %s %s %s', p.dp, p.lp, p.by, p.tr, p.rd, p.tn, p.kn, p.at,
    p.dd or '-', p.t == p.name and '=' or p.t)
  if s ~= p.old then
    write(P .. p.m.c .. 'p:' .. p.name, s)
  end
end

local function is_spent(m, s)
  return s.dp >= m.sp or s.by >= m.sb
end
-- Pages in flight count as if done.
local function is_full(m, s)
  return s.dp + s.lp >= m.sp or is_spent(m, s)
end
-- Pages done and leased and bytes of a site in a crawl.
local function site_of(m, name)
  local key = m.c .. ' ' .. name
  local s = site_sums[key]
  if s then
    return s
  end
  s = { m = m, name = name, dp = 0, lp = 0, by = 0 }
  s.old = read(P .. m.c .. 't:' .. name)
  if s.old then
    local dp, lp, by = string.match(s.old, '^(%-?%d+) (%-?%d+) (%-?%d+)$')
    if dp then
      s.dp, s.lp, s.by = num(dp), num(lp), num(by)
    else
      set_aside(m.c .. 't:' .. name, s.old)
    end
  end
  s.full, s.spent = is_full(m, s), is_spent(m, s)
  site_sums[key] = s
  return s
end

local function write_site(s)
  local words = string.format('%d %d %d', s.dp, s.lp, s.by)
  if words ~= (s.old or '0 0 0') then
    write(P .. s.m.c .. 't:' .. s.name, words)
  end
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
  return p.has and not must_settle(m, p) and not (m.sites and is_full(m, site_of(m, p.t)))
end

-- F4: the earliest start of a request: past both clocks, and the crawl's own gap after the last end.
local function clock_of(h, m)
  return math.max(h.nb, h.le > 0 and h.le + m.gap or 0, h.hu or 0)
end

-- How long ago the last request to a host ended; empty where there was none.
local function ended_ago(h)
  return h.le > 0 and text(math.max(0, now - h.le)) or ''
end

-- F3: whatever moves the clocks of a host moves it for every crawl on it.
local function moved(h)
  for _, m in live_crawls(h) do
    pair(m, h.name).index = true
  end
end

local function delay(h, till, why)
  if till > h.nb then
    h.nb, h.why = math.ceil(till), why
  end
end

-- Told after the lists have changed.
local function change_queued(m, p, by)
  local before = p.has
  add(m, 'queued', by)
  if by < 0 then
    p.has = has_queued(p)
  elseif by > 0 then
    p.has = true
  end
  if p.has and not before then
    add(m, 'hq', 1)
    p.rd, p.index = now, true
    name_crawl(host(p.name), m.c)
  elseif before and not p.has then
    add(m, 'hq', -1)
    p.index = true
  end
end

local function change_leased(m, p, by, pages)
  add(m, 'leased', by)
  if pages ~= 0 then
    local s = site_of(m, p.t)
    p.lp, s.lp = p.lp + pages, s.lp + pages
    add(m, 'lp', pages)
  end
end
