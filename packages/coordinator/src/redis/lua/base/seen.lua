-- Which URLs are known, and what becomes of an offer.
-- F8: fingerprints are decimal strings, never altered; a bucket is found by the leading bits of their
-- double, which is the same for insert and split. Buckets split one after the other; ids as in a heap.
local function buckets(m)
  if not m.bk then
    local v = call('HMGET', P .. m.c .. 'c', 'bk', 'known', 'queued')
    m.bk, m.known = num(v[1]) or 1, num(v[2]) or 0
    m.stored.known, m.stored.queued = m.known, num(v[3]) or 0
    m.bk_was = m.bk
    m.level = 1
    while m.level * 2 <= m.bk do
      m.level = m.level * 2
    end
  end
end
local function place(print)
  local x = (num(print) + 9223372036854775808) / 18446744073709551616
  return x < 1 and x or 0.99999999999999988898
end
local function bucket(m, print)
  local x, level = place(print), m.level
  local b = math.floor(x * level)
  if b < m.bk - level then
    return 2 * level + math.floor(x * 2 * level)
  end
  return level + b
end
-- Those not split yet in a round hold up to twice the mean: 320, with chance 430, below the 512 up to which a set
-- of integers stays packed (8 bytes each) by the engine's default.
local mean_fill = 160
local function split_bucket(m)
  -- The next to split has the number of buckets as its id; its children are twice that, and one more.
  local prefix, from = P .. m.c .. 'k', m.bk
  local children = { {}, {} }
  for _, print in ipairs(call('SMEMBERS', prefix .. from)) do
    local child = children[math.floor(place(print) * 2 * m.level) % 2 + 1]
    child[#child + 1] = print
  end
  call('DEL', prefix .. from)
  for n, child in ipairs(children) do
    if #child > 0 then
      call('SADD', prefix .. 2 * from + n - 1, unpack(child))
    end
  end
  m.bk = from + 1
  if m.bk == 2 * m.level then
    m.level = m.bk
  end
end

local function accept(m)
  add(m, 'known', 1)
  m.known = m.known + 1
  if m.known > m.bk * mean_fill then
    split_bucket(m)
  end
  open_again(m)
  return 'a'
end

local function known_host(m, p)
  if p.kn == '0' then
    p.kn = '1'
    add(m, 'hosts', 1)
  end
end

-- One of a crawl that has budgets.
local function offer_within(m, set, name, site, print, entry)
  tell_time()
  local p = pair(m, name, site)
  local spent = budget_spent(m, p)
  if spent then
    call('SREM', set, print)
    add(m, 'd:' .. spent, 1)
    return spent == 'host-budget' and 'h' or 's'
  end
  known_host(m, p)
  local _, tail = split_entry(entry)
  push(p, entry, tail)
  change_queued(m, p, 1)
  return accept(m)
end

-- New URLs of one host. A queue that has some already gets them and nothing else is touched.
local function join_queue(m, name, site, level, entries)
  local list = P .. m.c .. level .. name
  if not pairs_of[m.c .. ' ' .. name] and call('RPUSHX', list, unpack(entries)) > 0 then
    add(m, 'queued', #entries)
    return
  end
  tell_time()
  local p = pair(m, name, site)
  known_host(m, p)
  note_level(p, level)
  call('RPUSH', list, unpack(entries))
  change_queued(m, p, #entries)
end

-- URLs of one host that someone wants, from ARGV[i] on; a letter for each: a accepted, k known, h or s over the
-- host's or site's budget. The hot path of a crawl: one that is known, or that joins a queue, touches nothing else.
local function offer_run(m, i, count, name, site, sorted, verdicts)
  local prefix, fresh, others = P .. m.c .. 'k', nil, nil
  local function join()
    if others then
      for level, list in pairs(others) do
        join_queue(m, name, site, level, list)
      end
    end
    if fresh then
      join_queue(m, name, site, '1:', fresh)
    end
    fresh, others = nil, nil
  end
  for at = i, i + 3 * count - 1, 3 do
    local print, entry = ARGV[at + 1], ARGV[at + 2]
    local set = prefix .. (m.bk == sorted and ARGV[at] or bucket(m, print))
    local verdict = 'k'
    if call('SADD', set, print) == 0 then
      if m.upgrades then
        upgrade(m, name, site, entry, join)
      end
    else
      if m.bounded then
        verdict = offer_within(m, set, name, site, print, entry)
      else
        -- Sitemaps and the bands behind have lists of their own.
        local level = level_in(entry)
        if level ~= '1:' then
          others = others or {}
          others[level] = others[level] or {}
          table.insert(others[level], entry)
        else
          fresh = fresh or {}
          fresh[#fresh + 1] = entry
        end
        verdict = accept(m)
      end
      if m.upgrades and verdict == 'a' then
        local key, tail = split_entry(entry)
        note_rank(m, name, key, tail)
      end
    end
    verdicts[#verdicts + 1] = verdict
  end
  join()
end

-- Offers from ARGV[i] on: into how many buckets the caller sorted them, how many hosts, then for each host its
-- name, site, how many, and for each of these bucket, fingerprint, entry. Adds to the verdicts; answers where
-- the next argument is. Buckets that were split since are found anew.
local function offer_all(m, i, verdicts)
  buckets(m)
  local sorted, runs = num(ARGV[i]), num(ARGV[i + 1])
  i = i + 2
  for _ = 1, runs do
    local count = num(ARGV[i + 2])
    offer_run(m, i + 3, count, ARGV[i], ARGV[i + 1], sorted, verdicts)
    i = i + 3 + 3 * count
  end
  return i
end
