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

-- What the ceilings of a whole crawl are compared with (F12): the number of the change, pages done and leased, all that
-- is leased, bytes. Other groups need not be asked for theirs: ceilings.lua.
local counted = { 'lv', 'dp', 'lp', 'leased', 'bytes' }
local function counts_anew(m)
  if not m.bounded_whole then
    return false
  end
  for i = 2, #counted do
    if (m.sums[counted[i]] or 0) ~= 0 then
      m.sums.lv = 1
    end
  end
  return m.sums.lv ~= nil or m.tells
end

-- What is stored is read where it is not known yet, and written once.
local function write_sums(m)
  local key, stored, unknown, fields = P .. m.c .. 'c', m.stored, {}, {}
  local tells = counts_anew(m)
  for name, by in pairs(m.sums) do
    if by ~= 0 and not stored[name] then
      unknown[#unknown + 1] = name
    end
  end
  for i = 1, tells and #counted or 0 do
    if (m.sums[counted[i]] or 0) == 0 and not stored[counted[i]] then
      unknown[#unknown + 1] = counted[i]
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
  if tells then
    local now_used = {}
    for i, name in ipairs(counted) do
      now_used[i] = text(stored[name] + (m.sums[name] or 0))
    end
    m.used = table.concat(now_used, ' ')
  end
end

-- F22: when the group last changed, so that upkeep passes over groups that have not: whatever it looks at changes with the place
-- of some host in the index. Told at most so often: a visit that is later than that after it was read has seen every change.
local told_for = 250
local function note_change()
  tell_time()
  local last = num(fetched[P .. 'v'] or '')
  if not last or math.abs(now - last) > told_for then
    fetched[P .. 'v'] = text(now)
    call('SET', P .. 'v', text(now))
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
      if m.touched then
        note_change()
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

local function due_now(m)
  return text(call('ZCOUNT', P .. m.c .. 'q', '-inf', text(now)))
end

-- What the caller should know of the group afterwards: when it next has something to do, and for which crawl.
-- `brief`: only if there is something new.
local function outlook(brief)
  local answer, seen = {}, {}
  flush_index()
  for _, m in pairs(crawls) do
    if m and (m.touched or m.asked) then
      seen[#seen + 1] = { m, first_due(m) }
    end
  end
  flush()
  for _, found in ipairs(seen) do
    local m, due = found[1], found[2]
    answer[#answer + 1] = m.c
    answer[#answer + 1] = due
    answer[#answer + 1] = m.used or ''
    answer[#answer + 1] = m.reopened and '1' or ''
    -- How many are due now, or a few more: a caller asks for several at once.
    answer[#answer + 1] = due ~= '' and num(due) <= now and due_now(m) or '0'
  end
  if brief and #answer == 0 then
    return ''
  end
  return { text(now), call('ZRANGE', P .. 'x', '0', '0', 'WITHSCORES')[2] or '', text(held_group), answer }
end
