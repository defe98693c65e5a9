-- Offers that ask for more than the one before. What a URL is asked for has a rank: a requisite or a check 0, a page 1,
-- a page with a label or a request of its own 2. Sitemaps stay what they are. In a crawl with upgrades, "v:HOST" says of each URL below 2, by
-- its key:
--   0 or 1                                    its rank
--   wTAIL                                     queued, and asked for again with this tail
--   aRANK                                     leased, and asked for again since: it will be visited once more
--   dRANK ID BYTES ITEMS EDGES CLASS          settled, and where its record is
local function rank_of(tail)
  if is_page(tail) then
    return string.find(tail, '^...%l?%d+,[^,]*,[^,]*,[=;]') and 2 or 1
  end
  return string.byte(tail, 1) == 51 and 2 or 0
end

local function upgrades_of(m, name)
  return P .. m.c .. 'v:' .. name
end

local function note_rank(m, name, key, tail)
  local rank = rank_of(tail)
  if rank < 2 then
    call('HSET', upgrades_of(m, name), key, text(rank))
  else
    call('HDEL', upgrades_of(m, name), key)
  end
end

local function note_settled(m, name, entry, id, class, bytes, items, edges)
  if m.upgrades then
    local key, tail = split_entry(entry)
    local rank = rank_of(tail)
    if rank < 2 then
      local place = string.format('d%d %s %d %d %d %s', rank, id, bytes, items, edges, class)
      call('HSET', upgrades_of(m, name), key, place)
    end
  end
end

-- The tail of the later offer, with the tries and deaths so far and the place that it has.
local function merge_tails(old, new)
  return string.sub(new, 1, 1) .. string.match(old, '^.(..%l?)') .. (string.match(new, '^...%l?(.*)$') or '')
end

-- Entries that leave the queue become what they were asked for meanwhile.
local function take_wishes(m, name, entries)
  if not m.upgrades or #entries == 0 then
    return
  end
  local keys = {}
  for i, entry in ipairs(entries) do
    keys[i] = is_entry(entry) and split_entry(entry) or ''
  end
  for i, found in ipairs(call('HMGET', upgrades_of(m, name), unpack(keys))) do
    local mark = found and string.byte(found, 1)
    if mark == 119 or mark == 97 then
      local key, tail, _ = split_entry(entries[i])
      local wished = mark == 119 and key .. '\n' .. merge_tails(tail, string.sub(found, 2))
      if wished and is_entry(wished) then
        entries[i] = wished
        _, tail = split_entry(wished)
      end
      note_rank(m, name, key, tail)
    end
  end
end

-- Entries that have just left their queue get their outcome without being fetched. Answers how many there were.
local function settle_unfetched(m, p, entries, reason)
  take_wishes(m, p.name, entries)
  local verdict = reason == 'host-dead' and 'failed' or 'refused'
  for _, entry in ipairs(entries) do
    if is_entry(entry) then
      local _, tail = split_entry(entry)
      local class = verdict .. ' ' .. reason
      count_records(m, p, class_of(class), 1, is_page(tail) and 1 or 0, 0)
      local id = append(P .. m.c .. 'r', 'q', p.name .. '\n' .. entry, 'v', verdict, 'x', reason,
        't', p.tr .. ' ' .. (p.dd or ''))
      note_settled(m, p.name, entry, id, class, 0, 0, 0)
    else
      set_entry_aside(m, p.name, entry)
    end
  end
  change_queued(m, p, -#entries)
  return #entries
end

-- A record goes, and what it counted; its URL is queued again. Answers whether it was still there.
local function unsettle(m, p, entry, id, in_file, class, bytes, items, edges)
  -- Readers skip the ids listed here when the record is in a file, or may soon be.
  if in_file then
    if call('SADD', P .. m.c .. 'd', id) == 0 then
      return false
    end
  else
    if call('XDEL', P .. m.c .. 'r', id) == 0 then
      return false
    end
    if is_claimed(m, id) then
      call('SADD', P .. m.c .. 'd', id)
    end
  end
  local _, tail = split_entry(entry)
  count_records(m, p, class, -1, is_page(tail) and -1 or 0, -bytes)
  add(m, 'items', -items)
  add(m, 'edges', -edges)
  p.index = true
  return true
end

local function queue_again(m, p, entry)
  local key, tail = split_entry(entry)
  push(p, entry, tail)
  change_queued(m, p, 1)
  if m.upgrades then
    note_rank(m, p.name, key, tail)
  end
  open_again(m)
end

local function rank_in(found)
  local mark = string.byte(found, 1)
  if mark == 119 then
    return rank_of(string.sub(found, 2))
  end
  -- Anything else is nothing that can be upgraded.
  return num(string.match(found, '^[ad]?([01])') or 2)
end

-- A leased entry is asked for again: from now on it counts as what it is asked for.
local function upgrade_leased(m, p, key, new)
  local h = host(p.name)
  local entries = h.hc == m.c and leased_of(h) or {}
  for i, entry in ipairs(entries) do
    if entry and string.sub(entry, 1, #key + 1) == key .. '\n' then
      local _, old = split_entry(entry)
      entries[i], h.leased_in = key .. '\n' .. merge_tails(old, new), m.c
      change_leased(m, p, 0, is_page(old) and 0 or 1)
      p.index = true
      return true
    end
  end
  return false
end

-- An offer of a known URL. One that is queued again comes behind what was offered before it: join() queues that.
local function upgrade(m, name, site, entry, join)
  local key, tail = split_entry(entry)
  if not is_page(tail) then
    return
  end
  local rank = rank_of(tail)
  local found = call('HGET', upgrades_of(m, name), key)
  if not found or rank_in(found) >= rank then
    return
  end
  tell_time()
  local was, id, bytes, items, edges, class = string.match(found, '^d(%d) (%S+) (%d+) (%d+) (%d+) (.*)$')
  if id then
    join()
  end
  local p = pair(m, name, site)
  if id then
    -- A page or not: that is all the sums need to know of the entry as it was.
    local old = key .. '\n' .. (was == '0' and '2' or '0')
    local sums = { class_of(class), num(bytes), num(items), num(edges) }
    if not unsettle(m, p, old, id, false, unpack(sums)) then
      unsettle(m, p, old, id, true, unpack(sums))
    end
    queue_again(m, p, entry)
  elseif upgrade_leased(m, p, key, tail) then
    call('HSET', upgrades_of(m, name), key, 'a' .. rank)
  else
    call('HSET', upgrades_of(m, name), key, 'w' .. tail)
  end
end
