-- What follows from a change: the index by due time, and everything that is written.
local function remove_from(m, at, name)
  if at == 'd' then
    call('ZREM', P .. m.c .. 'q', name)
  elseif at ~= '-' then
    call('SREM', P .. m.c .. at, name)
  end
end

-- Puts a host where it belongs in the index of its crawl.
local function reindex(p)
  local m, at = p.m, '-'
  if p.q > 0 then
    if must_settle(m, p) then
      at = 'z'
    elseif m.sites and is_full(m, site_of(m, p.t)) then
      at = 'b'
    else
      at = 'd'
    end
  end
  if p.at ~= at then
    remove_from(m, p.at, p.name)
    if m.sites then
      call(p.q > 0 and 'SADD' or 'SREM', P .. m.c .. 'u:' .. p.t, p.name)
    end
  end
  if at == 'd' then
    call('ZADD', P .. m.c .. 'q', text(math.max(p.rd, clock_of(host(p.name), m), p.late or 0)), p.name)
  elseif at ~= '-' and p.at ~= at then
    call('SADD', P .. m.c .. at, p.name)
  end
  p.at, p.index = at, false
  m.touched = true
end

-- Hosts of a site that has room again, or has none left for ever. A few hundred at once (F16); the sweep
-- goes on with the rest.
local at_once = 500
local function site_turned(s)
  local m = s.m
  local full, spent = is_full(m, s), is_spent(m, s)
  if s.full and not full then
    for _, name in ipairs(call('SRANDMEMBER', P .. m.c .. 'b', at_once)) do
      pair(m, name).index = true
    end
  end
  if s.spent and not spent then
    for _, name in ipairs(call('SRANDMEMBER', P .. m.c .. 'z', at_once)) do
      pair(m, name).index = true
    end
  end
  if spent and not s.spent then
    call('SADD', P .. m.c .. 'w', s.name)
  end
  s.full, s.spent = full, spent
end

local function flush_index()
  for _, s in pairs(site_sums) do
    if s.m.sites then
      site_turned(s)
    end
  end
  -- Indexing may load sites, never pairs.
  for _, p in pairs(pairs_of) do
    if p.index then
      reindex(p)
    end
  end
end

local function flush()
  flush_index()
  for _, p in pairs(pairs_of) do
    write_pair(p)
  end
  for _, h in pairs(hosts) do
    write_host(h)
    if h.leased_in then
      write_leased(h)
    end
  end
  for _, s in pairs(site_sums) do
    write_site(s)
  end
  for _, m in pairs(crawls) do
    if m then
      if m.bk ~= m.bk_was then
        call('HSET', P .. m.c .. 'c', 'bk', m.bk)
      end
      for name, by in pairs(m.sums) do
        if by ~= 0 then
          call('HINCRBY', P .. m.c .. 'c', name, text(by))
        end
      end
    end
  end
end

-- When the next host of a crawl is due. Hosts of a site that filled up may still stand in the index.
local function first_due(m)
  for _ = 1, 100 do
    local first = call('ZRANGE', P .. m.c .. 'q', '0', '0', 'WITHSCORES')
    if #first == 0 then
      return ''
    end
    if not m.sites then
      return first[2]
    end
    local p = pair(m, first[1])
    if has_work(m, p) then
      return first[2]
    end
    p.index = true
    flush_index()
  end
  return text(now)
end

-- What the caller should know of the group afterwards: when it next has something to do, and for which crawl.
local function outlook()
  local answer = {}
  flush_index()
  for c, m in pairs(crawls) do
    if m and (m.touched or m.asked) then
      answer[#answer + 1] = c
      answer[#answer + 1] = first_due(m)
      answer[#answer + 1] = text(m.freed)
      answer[#answer + 1] = text(m.bytes)
      answer[#answer + 1] = m.reopened and '1' or ''
    end
  end
  flush()
  return { text(now), call('ZRANGE', P .. 'x', '0', '0', 'WITHSCORES')[2] or '', text(held_group), answer }
end
