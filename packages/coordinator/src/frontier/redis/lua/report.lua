-- What a worker says about a lease: outcomes with all they yielded, tries that did not work out, how the
-- host fared. One script, so a page's links are known or waiting in the outbox when its outcome is (design 4).
-- ARGV[4] operation, [5] crawl, [6] host, [7] fence, [8] close, [9] ms since the last end or "", [10] gap,
-- [11] why, [12] health, [13] reason, [14] number of parts; then the parts:
--   o key verdict reason status bytes items edges record itemsText edgesText dropped OFFERS
--   r key
--   l OFFERS                                      (offers that belong to no page)
-- OFFERS: outbox text for other groups or "", number of arguments that follow, the offers in this group.
local m, h = crawl(ARGV[5]), host(ARGV[6])
-- The same operation again, because its answer was lost: it has happened.
if h.op ~= '' then
  local accepted, known, freed, bytes = string.match(h.op, '^' .. ARGV[4] .. ' (%d+) (%d+) (%-?%d+) (%d+)$')
  if accepted then
    if m then
      m.asked, m.freed, m.bytes = true, num(freed), num(bytes)
    end
    return { 'AGAIN', outlook(), num(accepted), num(known) }
  end
end
if not m or h.hc ~= ARGV[5] or h.ho or h.f ~= num(ARGV[7]) or now >= h.hd then
  return { 'STALE' }
end

local at = 15
local function arg()
  at = at + 1
  return ARGV[at - 1]
end

local p = pair(m, h.name)
local leased, places = leased_of(h), {}
for i, entry in ipairs(leased) do
  local key, tail = split_entry(entry)
  places[key] = { i, tail }
end
-- The outbox gets one entry for the whole report; `applied` says which parts are in it.
local accepted, known, outs, applied = 0, 0, {}, {}

local function take_offers(apply)
  local out, count = arg(), num(arg())
  applied[#applied + 1] = apply and '1' or '0'
  if not apply then
    at = at + count
    return
  end
  if out ~= '' then
    outs[#outs + 1] = 'd'
    outs[#outs + 1] = out
  end
  if count == 0 then
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
  local found = places[key]
  if not found then
    return nil
  end
  places[key], leased[found[1]], h.leased_in = nil, false, m.c
  change_leased(m, p, -1, is_page(found[2]) and -1 or 0)
  return found[2]
end

local function outcome()
  local key = arg()
  local record = { verdict = arg(), reason = arg(), status = arg(), bytes = num(arg()) }
  local items, edges = num(arg()), num(arg())
  local data, items_text, edges_text = arg(), arg(), arg()
  local dropped = arg()
  local tail = take_leased(key)
  if tail then
    record.page = is_page(tail)
    count_record(m, p, record, 1)
    add(m, 'items', items)
    add(m, 'edges', edges)
    for reason, count in string.gmatch(dropped, '([%a-]+)=(%d+)') do
      add(m, 'd:' .. reason, num(count))
    end
    local entry = h.name .. '\n' .. key .. '\n' .. tail
    if items == 0 and edges == 0 then
      append(P .. m.c .. 'r', 'q', entry, 'd', data)
    else
      append(P .. m.c .. 'r', 'q', entry, 'd', data, 'i', items_text, 'e', edges_text)
    end
  end
  take_offers(tail ~= nil)
end

local function try_again()
  local key = arg()
  local tail = take_leased(key)
  if not tail then
    return
  end
  tail = count_up(string.sub(tail, 1, 2) .. '0' .. string.sub(tail, 4), 2)
  push(p, key .. '\n' .. tail, tail)
  change_queued(m, p, 1)
end

for _ = 1, num(ARGV[14]) do
  local kind = arg()
  if kind == 'o' then
    outcome()
  elseif kind == 'r' then
    try_again()
  else
    take_offers(true)
  end
end

if ARGV[9] ~= '' then
  local finished = now - num(ARGV[9])
  h.le = math.max(h.le, math.ceil(finished))
  delay(h, finished + num(ARGV[10]), ARGV[11])
end
if ARGV[12] == 'ok' then
  for c in each_crawl(h) do
    local other = crawl(c)
    if other then
      pair(other, h.name).tr = 0
    end
  end
elseif ARGV[12] == 'trouble' then
  p.tr = p.tr + 1
  delay(h, now + math.min(3600000, m.back * 2 ^ (p.tr - 1)), 'backoff')
  if p.tr >= m.dead and not p.dd then
    p.dd = ARGV[13] ~= '' and ARGV[13] or 'unreachable'
  end
end
if ARGV[8] == '1' then
  give_back(h)
  drop_hold(h)
end
moved(h)
h.op = string.format('%s %d %d %d %d', ARGV[4], accepted, known, m.freed, m.bytes)
m.asked = true
local parcel = #outs > 0 and append(P .. m.c .. 'o', unpack(outs)) or ''
return { 'OK', outlook(), accepted, known, table.concat(applied), parcel, m.bk or 0 }
