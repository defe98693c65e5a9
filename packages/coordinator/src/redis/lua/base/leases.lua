-- Entries and leases.
-- An entry is "key\ntail": the URL behind its host ("s" before it for https), then one character each for
-- kind, tries and deaths, a letter for the band behind the first, then the rest: entry-text.ts.
local function kind_of(entry)
  return string.byte(entry, string.find(entry, '\n', 1, true) + 1)
end
local function split_entry(entry)
  local at = string.find(entry, '\n', 1, true)
  return string.sub(entry, 1, at - 1), string.sub(entry, at + 1)
end
-- Whether it can be taken apart: a tail with a kind, tries and deaths as they are counted, and a depth.
local function is_entry(entry)
  return string.find(entry, '^[^\n]*\n[0-3][0-9a-z][0-9a-z][a-g]?%d') ~= nil
end
-- It was known and queued or leased, and is neither any more: counted like any other link that is not a URL.
local function set_entry_aside(m, name, entry)
  set_aside(m.c .. ':' .. name, entry)
  add(m, 'known', -1)
  add(m, 'd:invalid', 1)
end
-- By the bytes of kind and band. Sitemaps have a list of their own.
local function level_by(kind, band)
  if not band or band < 97 then
    return kind == 51 and '0:' or '1:'
  end
  return levels_of_bands[band - 94]
end
local function level_of(tail)
  local kind, _, _, band = string.byte(tail, 1, 4)
  return level_by(kind, band)
end
local function level_in(entry)
  local at = string.find(entry, '\n', 1, true)
  local kind, _, _, band = string.byte(entry, at + 1, at + 4)
  return level_by(kind, band)
end
local function is_page(tail)
  return string.byte(tail, 1) == 48
end

local digits = '0123456789abcdefghijklmnopqrstuvwxyz'
-- One more of what is counted at this place of a tail; answers the tail and the count. 35 at most.
local function count_up(tail, at)
  local place = math.min(string.find(digits, string.sub(tail, at, at), 1, true) + 1, 36)
  return string.sub(tail, 1, at - 1) .. string.sub(digits, place, place) .. string.sub(tail, at + 1), place - 1
end

local function push(p, entry, tail)
  local list = level_of(tail)
  note_level(p, list)
  return call('RPUSH', P .. p.m.c .. list .. p.name, entry)
end

-- The unsettled entries of a lease in the order of the grant; false where one is settled. Kept as one text.
local function leased_of(h)
  if not h.leased then
    h.leased = {}
    local all = h.hc and read(P .. h.hc .. 'l:' .. h.name)
    for entry in string.gmatch(all or '', '[^\t]+') do
      if is_entry(entry) then
        h.leased[#h.leased + 1] = entry
      else
        local m = crawl(h.hc)
        h.leased_in = h.hc
        if m then
          set_entry_aside(m, h.name, entry)
          add(m, 'leased', -1)
        end
      end
    end
  end
  return h.leased
end

local function write_leased(h)
  local open = {}
  for _, entry in ipairs(h.leased) do
    if entry then
      open[#open + 1] = entry
    end
  end
  if #open > 0 then
    write(P .. h.leased_in .. 'l:' .. h.name, table.concat(open, '\t'))
  else
    gone[#gone + 1] = P .. h.leased_in .. 'l:' .. h.name
  end
end

-- Verdict, reason and status of records, and the names of their sums: there are few, so they are taken apart once.
local classes, class_count = {}, 0
local function class_of(words)
  local found = classes[words]
  if found then
    return found
  end
  local verdict, reason, status = string.match(words, '^(%S+) (%S+) ?(%S*)$')
  local done = verdict == 'done'
  found = { r = 'r:' .. reason, s = done and status ~= '' and 's:' .. status, done = done }
  if class_count > 1000 then
    classes, class_count = {}, 0
  end
  classes[words], class_count = found, class_count + 1
  return found
end

-- Adds records of a class to all sums, or takes them away again: how many, how many of them are pages, bytes.
local function count_records(m, p, class, n, pages, bytes)
  add(m, class.r, n)
  if class.s then
    add(m, class.s, n)
  end
  local done = class.done and pages or 0
  if bytes ~= 0 or done ~= 0 then
    local s = site_of(m, p.t)
    p.by, s.by = p.by + bytes, s.by + bytes
    p.dp, s.dp = p.dp + done, s.dp + done
    add(m, 'bytes', bytes)
    add(m, 'dp', done)
    p.index = true
  end
end

-- A lease ended without a word. A worker goes through its entries in order, so only the first unsettled one can be
-- to blame: it is charged, and given up when that has happened too often. Another one that was charged wrongly is
-- leased alone next time, and then the right one is first. A lease of one that was charged before says when it is
-- fetched, so a worker that died earlier than that did not die of it.
local function charge_in_hand(h)
  local m = h.hc and crawl(h.hc)
  local entries = m and leased_of(h) or {}
  for i, entry in ipairs(entries) do
    if entry then
      local key, tail = split_entry(entry)
      if string.byte(tail, 3) ~= 48 and not h.begun then
        return
      end
      local charged, deaths = count_up(tail, 3)
      entries[i], h.leased_in = key .. '\n' .. charged, m.c
      if deaths >= m.poison then
        local p = pair(m, h.name)
        entries[i] = false
        if m.upgrades then
          -- Workers died with it: a label is no reason to lose more of them.
          call('HDEL', P .. m.c .. 'v:' .. h.name, key)
        end
        change_leased(m, p, -1, is_page(tail) and -1 or 0)
        count_records(m, p, class_of('failed poison'), 1, 0, 0)
        append(P .. m.c .. 'r', 'q', h.name .. '\n' .. key .. '\n' .. charged, 'v', 'failed', 'x', 'poison',
          't', text(deaths))
        p.index = true
      end
      return
    end
  end
end

-- Puts the unsettled entries of a lease back to the front, in their old order.
local function give_back(h)
  local m = h.hc and crawl(h.hc)
  if not m then
    return 0
  end
  local p, entries = pair(m, h.name), leased_of(h)
  local count, pages, lists = 0, 0, {}
  for i = #entries, 1, -1 do
    if entries[i] then
      local _, tail = split_entry(entries[i])
      local list = level_of(tail)
      lists[list] = lists[list] or {}
      table.insert(lists[list], entries[i])
      count = count + 1
      if is_page(tail) then
        pages = pages + 1
      end
    end
  end
  if #entries > 0 then
    gone[#gone + 1] = P .. m.c .. 'l:' .. h.name
  end
  h.leased, h.leased_in = {}, nil
  if count == 0 then
    return 0
  end
  for list, back in pairs(lists) do
    in_chunks('LPUSH', P .. m.c .. list .. h.name, back)
  end
  change_leased(m, p, -count, -pages)
  change_queued(m, p, count)
  return count
end

local function drop_hold(h)
  h.hc, h.hw, h.hg, h.hd, h.hu, h.ho, h.begun = nil, nil, nil, nil, nil, nil, nil
  ends[h.name] = false
  moved(h)
end

-- The deadline has passed: entries go back, the host stays held.
local function expire(h)
  charge_in_hand(h)
  local count = give_back(h)
  h.ho = true
  ends[h.name] = h.hu
  moved(h)
  return count
end

-- Nobody came back before the hold was over: its end is what the host was last waiting for.
local function outlive(h)
  delay(h, h.hu, 'held')
  if not h.ho then
    charge_in_hand(h)
    give_back(h)
  end
  drop_hold(h)
end

local function expire_due(limit)
  local leases, entries = 0, 0
  for _, name in ipairs(call('ZRANGEBYSCORE', P .. 'x', '-inf', text(now), 'LIMIT', '0', '100')) do
    if entries >= limit then
      break
    end
    local h = host(name)
    if h.ho then
      outlive(h)
    else
      entries = entries + expire(h)
      leases = leases + 1
    end
  end
  return leases, entries
end

-- Gives the host to a worker, with no URLs yet. Fences only grow, and at least as fast as time: a store that went back in
-- time never repeats a fence that a worker may still hold.
local function take(m, h, worker)
  if h.hu then
    outlive(h)
  end
  h.f = math.max(h.f + 1, math.floor(now))
  h.hc, h.hw, h.hg, h.hd = m.c, worker, now, now + m.ttl
  h.hu, h.ho = h.hd + m.fetch + m.gap, false
  h.begun = false
  ends[h.name] = h.hd
  moved(h)
end
