-- What follows from a change: the index by due time, and everything that is written.
local function remove_from(m, at, name, out)
  if at == 'd' then
    out[#out + 1] = name
  elseif at ~= '-' then
    call('SREM', P .. m.c .. at, name)
  end
end

local function place_of(m, p)
  if not p.has then
    return '-'
  end
  if must_settle(m, p) then
    return 'z'
  end
  return m.sites and is_full(m, site_of(m, p.t)) and 'b' or 'd'
end

-- Puts a host where it belongs in the index of its crawl. Changes of the sorted set are gathered: what leaves it,
-- and the times and names of what is due.
local function reindex(p, out, due)
  local m, at = p.m, place_of(p.m, p)
  if p.at ~= at then
    remove_from(m, p.at, p.name, out)
    if m.sites then
      call(p.has and 'SADD' or 'SREM', P .. m.c .. 'u:' .. p.t, p.name)
    end
  end
  if at == 'd' then
    due[#due + 1] = text(math.max(p.rd, clock_of(host(p.name), m), p.late or 0))
    due[#due + 1] = p.name
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
  local changed = {}
  for _, p in pairs(pairs_of) do
    if p.index then
      local lists = changed[p.m.c] or { {}, {} }
      changed[p.m.c] = lists
      reindex(p, lists[1], lists[2])
    end
  end
  for c, lists in pairs(changed) do
    in_chunks('ZREM', P .. c .. 'q', lists[1])
    in_chunks('ZADD', P .. c .. 'q', lists[2])
  end
end

-- What is stored is read where it is not known yet, and written once.
local function write_sums(m)
  local key, stored, unknown, fields = P .. m.c .. 'c', m.stored, {}, {}
  for name, by in pairs(m.sums) do
    if by ~= 0 and not stored[name] then
      unknown[#unknown + 1] = name
    end
  end
  if #unknown > 0 then
    local found = call('HMGET', key, unpack(unknown))
    for i, name in ipairs(unknown) do
      stored[name] = num(found[i]) or 0
    end
  end
  for name, by in pairs(m.sums) do
    if by ~= 0 then
      fields[#fields + 1] = name
      fields[#fields + 1] = text(stored[name] + by)
    end
  end
  if m.bk ~= m.bk_was then
    fields[#fields + 1] = 'bk'
    fields[#fields + 1] = text(m.bk)
  end
  if #fields > 0 then
    call('HSET', key, unpack(fields))
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
  write_texts()
  for _, m in pairs(crawls) do
    if m then
      write_sums(m)
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

local function due_now(m)
  return text(call('ZCOUNT', P .. m.c .. 'q', '-inf', text(now)))
end

-- What the caller should know of the group afterwards: when it next has something to do, and for which crawl.
-- `brief`: only if there is something new.
local function outlook(brief)
  local answer = {}
  flush_index()
  for c, m in pairs(crawls) do
    if m and (m.touched or m.asked) then
      answer[#answer + 1] = c
      local due = first_due(m)
      answer[#answer + 1] = due
      answer[#answer + 1] = text(m.freed)
      answer[#answer + 1] = text(m.bytes)
      answer[#answer + 1] = m.reopened and '1' or ''
      -- How many are due now, or a few more: a caller asks for several at once.
      answer[#answer + 1] = due ~= '' and num(due) <= now and due_now(m) or '0'
    end
  end
  flush()
  if brief and #answer == 0 then
    return ''
  end
  return { text(now), call('ZRANGE', P .. 'x', '0', '0', 'WITHSCORES')[2] or '', text(held_group), answer }
end
