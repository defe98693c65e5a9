-- What workers say about leases of hosts in this group: outcomes with all they yielded, tries that did not work
-- out, how the host fared. One script, so a page's links are known or waiting in the outbox when its outcome is
-- (design 4). ARGV[4] crawl, [5] number of reports, then host and site of each; then for each of them
--   operation fence close ended gap why health reason parts    (ended: ms since the last end, or ""; close: 2 for a
--   lease that goes on, and whose entry, charged with a death before, is about to be fetched)
-- and its parts:
--   p key class bytes record                      (a page, or what else was asked for, that yielded nothing)
--   o key class bytes record items edges itemsText edgesText dropped OFFERS
--   r key                                         (to be tried again)
--   l OFFERS                                      (offers that belong to no page)
-- CLASS: verdict, reason and status. OFFERS: outbox text for other groups or "", number of arguments that follow,
-- the offers in this group.
-- Answers for each report: OK, AGAIN or STALE; how many were accepted and known; which parts were applied; the id of
-- its parcel in the outbox.
local m, count = crawl(ARGV[4]), num(ARGV[5])
local at = 6 + 2 * count
local function arg()
  at = at + 1
  return ARGV[at - 1]
end

-- The report at hand: its host and the host's place in the crawl, its leased entries and their places by key, and
-- what it did.
local h, p, leased, places, accepted, known, outs, applied
-- Records that are not in the sums yet: their class, how many, bytes; entries taken from the lease, pages among them.
local class, records, pages, bytes

local function count_up_to_here()
  if records > 0 then
    change_leased(m, p, -records, -pages)
    count_records(m, p, class, records, pages, bytes)
    records, pages, bytes = 0, 0, 0
  end
end

local results = P .. ARGV[4] .. 'r'
local function take_offers(apply)
  local out, size = arg(), num(arg())
  applied[#applied + 1] = apply and '1' or '0'
  if not apply then
    at = at + size
    return
  end
  -- The outbox gets one entry for the whole report; `applied` says which parts are in it.
  if out ~= '' then
    outs[#outs + 1] = 'd'
    outs[#outs + 1] = out
  end
  if size == 0 then
    return
  end
  local verdicts = {}
  at = offer_all(m, at, verdicts)
  for _, verdict in ipairs(verdicts) do
    if verdict == 'a' then
      accepted = accepted + 1
    elseif verdict == 'k' then
      known = known + 1
    end
  end
end

-- The entry if it is one of this lease and not settled yet.
local function take_leased(key)
  local i = places[key]
  if not i then
    return nil
  end
  local entry = leased[i]
  places[key], leased[i], h.leased_in = nil, false, m.c
  return entry
end

-- Answers the record's place in the stream for those that are to be applied.
local function take_record(entry, words, size)
  local its = class_of(words)
  if its ~= class then
    count_up_to_here()
    class = its
  end
  records, bytes = records + 1, bytes + num(size)
  if kind_of(entry) == 48 then
    pages = pages + 1
  end
  return h.name .. '\n' .. entry
end

-- Asked for more since it was leased: this visit is not recorded, the next one is.
local function visit_again(entry)
  if not m.upgrades then
    return false
  end
  local key, tail = split_entry(entry)
  local found = call('HGET', upgrades_of(m, h.name), key)
  if not found or string.byte(found, 1) ~= 97 then
    return false
  end
  change_leased(m, p, -1, is_page(tail) and -1 or 0)
  queue_again(m, p, key .. '\n' .. string.sub(tail, 1, 1) .. '00' .. string.sub(tail, 4))
  return true
end

local function record_outcome(entry, words, size, data, items, edges, items_text, edges_text)
  local place, id = take_record(entry, words, size), nil
  count_up_to_here()
  if items == 0 and edges == 0 then
    id = append(results, 'q', place, 'd', data)
  else
    add(m, 'items', items)
    add(m, 'edges', edges)
    id = append(results, 'q', place, 'd', data, 'i', items_text, 'e', edges_text)
  end
  note_settled(m, h.name, entry, id, words, num(size), items, edges)
end

local function plain_outcome()
  local entry, words, size, data = take_leased(arg()), arg(), arg(), arg()
  if entry and not visit_again(entry) then
    local id = append(results, 'q', take_record(entry, words, size), 'd', data)
    note_settled(m, h.name, entry, id, words, num(size), 0, 0)
  end
end

local function outcome()
  local entry, words, size, data = take_leased(arg()), arg(), arg(), arg()
  local items, edges = num(arg()), num(arg())
  local items_text, edges_text, dropped = arg(), arg(), arg()
  if entry then
    if not visit_again(entry) then
      record_outcome(entry, words, size, data, items, edges, items_text, edges_text)
    end
    if dropped ~= '' then
      for reason, n in string.gmatch(dropped, '([%a-]+)=(%d+)') do
        add(m, 'd:' .. reason, num(n))
      end
    end
  end
  take_offers(entry ~= nil)
end

local function try_again()
  local entry = take_leased(arg())
  if not entry then
    return
  end
  local key, tail = split_entry(entry)
  change_leased(m, p, -1, is_page(tail) and -1 or 0)
  tail = count_up(string.sub(tail, 1, 2) .. '0' .. string.sub(tail, 4), 2)
  push(p, key .. '\n' .. tail, tail)
  change_queued(m, p, 1)
end

-- Goes past the parts of a report that is too late.
local function pass_over(parts)
  for _ = 1, parts do
    local kind = arg()
    at = at + (kind == 'o' and 9 or kind == 'p' and 4 or kind == 'r' and 1 or 0)
    if kind == 'o' or kind == 'l' then
      at = at + 1
      local size = num(arg())
      at = at + size
    end
  end
end

local function take_end(ended, gap, why)
  if ended ~= '' then
    local finished = now - num(ended)
    h.le = math.max(h.le, math.ceil(finished))
    delay(h, finished + num(gap), why)
  end
end

-- Leases of a crawl that was deleted (F13): nothing of it is left, but the host is free as soon as its worker says so.
local released = false
local function release_after_deletion(fence, close)
  if h.hc and not crawl(h.hc) and close and not h.ho and h.f == fence then
    released = true
    drop_hold(h)
    return true
  end
end

local function take_news(ended, gap, why, health, reason)
  take_end(ended, gap, why)
  if health == 'ok' then
    for _, other in live_crawls(h) do
      pair(other, h.name).tr = 0
    end
  elseif health == 'trouble' then
    p.tr = p.tr + 1
    delay(h, now + math.min(3600000, m.back * 2 ^ (p.tr - 1)), 'backoff')
    if p.tr >= m.dead and not p.dd then
      p.dd = reason ~= '' and reason or 'unreachable'
    end
  end
end

local function find_leased()
  p, leased, places = pair(m, h.name), leased_of(h), {}
  for i, entry in ipairs(leased) do
    if entry then
      places[string.sub(entry, 1, string.find(entry, '\n', 1, true) - 1)] = i
    end
  end
end

local function take_report(name)
  local operation = arg()
  h = host(name)
  local fence, how = num(arg()), arg()
  local close = how == '1'
  local ended, gap, why, health, reason = arg(), arg(), arg(), arg(), arg()
  local parts = num(arg())
  -- The same operation again, because its answer was lost: it has happened.
  if h.op ~= '' then
    local a, k = string.match(h.op, '^' .. operation .. ' (%d+) (%d+)$')
    if a then
      if m then
        m.asked, m.tells = true, true
        m.reopened = m.reopened or num(a) > 0
      end
      pass_over(parts)
      return { 'AGAIN', num(a), num(k), '', '' }
    end
  end
  if not m or h.hc ~= m.c or h.ho or h.f ~= fence or now >= h.hd then
    if release_after_deletion(fence, close) then
      take_end(ended, gap, why)
      moved(h)
    end
    pass_over(parts)
    return { 'STALE', 0, 0, '', '' }
  end
  h.begun = h.begun or how == '2'
  accepted, known, outs, applied = 0, 0, {}, {}
  records, pages, bytes = 0, 0, 0
  find_leased()
  for _ = 1, parts do
    local kind = arg()
    if kind == 'p' then
      plain_outcome()
    elseif kind == 'o' then
      outcome()
    elseif kind == 'r' then
      try_again()
    else
      count_up_to_here()
      take_offers(true)
    end
  end
  count_up_to_here()
  take_news(ended, gap, why, health, reason)
  if close then
    give_back(h)
    drop_hold(h)
  end
  moved(h)
  h.op = string.format('%s %d %d', operation, accepted, known)
  m.asked = true
  if #outs > 0 then
    open_again(m)
  end
  local parcel = #outs > 0 and append(P .. m.c .. 'o', unpack(outs)) or ''
  return { 'OK', accepted, known, table.concat(applied), parcel }
end

local keys = {}
for i = 6, 5 + 2 * count, 2 do
  local name = ARGV[i]
  keys[#keys + 1] = P .. 'h:' .. name
  keys[#keys + 1] = P .. ARGV[4] .. 'p:' .. name
  keys[#keys + 1] = P .. ARGV[4] .. 'l:' .. name
  keys[#keys + 1] = P .. ARGV[4] .. 't:' .. ARGV[i + 1]
end
read_ahead(keys)
local answers = {}
for i = 1, count do
  answers[i] = take_report(ARGV[4 + 2 * i])
end
return { 'OK', (released or m and m.asked) and outlook() or '', m and m.bk or 0, answers }
