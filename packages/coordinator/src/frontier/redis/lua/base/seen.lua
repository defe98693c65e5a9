-- Which URLs are known, and what becomes of an offer.
-- F8: fingerprints are decimal strings, never altered; a bucket is found by the leading bits of their
-- double, which is the same for insert and split. Buckets split one after the other; ids as in a heap.
local function buckets(m)
  if not m.bk then
    local v = call('HMGET', P .. m.c .. 'c', 'bk', 'known')
    m.bk, m.known = num(v[1]) or 1, num(v[2]) or 0
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
  if m.state == 'finished' then
    -- Finished always means that nothing is left.
    m.reopened = true
    set_state(m, 'running')
  end
  return 'a'
end

-- The first URL in a queue, or one of a crawl that has budgets.
local function offer_with_care(m, set, name, site, print, entry, tail)
  local p = pair(m, name, site)
  local spent = budget_spent(m, p)
  if spent then
    call('SREM', set, print)
    add(m, 'd:' .. spent, 1)
    return spent == 'host-budget' and 'h' or 's'
  end
  if p.kn == '0' then
    p.kn = '1'
    add(m, 'hosts', 1)
  end
  push(p, entry, tail)
  change_queued(m, p, 1)
  return accept(m)
end

-- A URL someone wants: a accepted, k known, h or s over the host's or site's budget. The hot path of a crawl:
-- a URL that is known, or that joins a queue, touches nothing else.
local function offer(m, name, site, at, print, entry)
  local set = P .. m.c .. 'k' .. at
  if call('SADD', set, print) == 0 then
    return 'k'
  end
  local tail = string.sub(entry, string.find(entry, '\n', 1, true) + 1)
  if m.bounded or pairs_of[m.c .. ' ' .. name] then
    return offer_with_care(m, set, name, site, print, entry, tail)
  end
  if call('RPUSHX', P .. m.c .. level_of(tail) .. name, entry) == 0 then
    return offer_with_care(m, set, name, site, print, entry, tail)
  end
  add(m, 'queued', 1)
  return accept(m)
end

-- Offers from ARGV[i] on: into how many buckets the caller sorted them, how many hosts, then for each host its
-- name, site, how many, and for each of these bucket, fingerprint, entry. Adds to the verdicts; answers where
-- the next argument is. Buckets that were split since are found anew.
local function offer_all(m, i, verdicts)
  buckets(m)
  local sorted, runs = num(ARGV[i]), num(ARGV[i + 1])
  i = i + 2
  for _ = 1, runs do
    local name, site, count = ARGV[i], ARGV[i + 1], num(ARGV[i + 2])
    i = i + 3
    for _ = 1, count do
      local print = ARGV[i + 1]
      local at = m.bk == sorted and ARGV[i] or bucket(m, print)
      verdicts[#verdicts + 1] = offer(m, name, site, at, print, ARGV[i + 2])
      i = i + 3
    end
  end
  return i
end
