-- Hosts that are due, to one worker. ARGV[4] worker, [5] operation, [6] hosts at most, [7] URLs per host at
-- most, then for each running crawl its number and how many pages it may lease (-1: no ceiling, 0: its ceiling
-- is reached; -2: it is asked for elsewhere, and has its turns all the same).
local worker, wanted, urls = ARGV[4], num(ARGV[6]), num(ARGV[7])
local expired = expire_due(500)
flush_index()

local asking = {}
for i = 8, #ARGV, 2 do
  local m = crawl(ARGV[i])
  if m and ARGV[i + 1] == '-2' then
    m.elsewhere = true
  elseif m then
    m.asked = true
    m.left = num(ARGV[i + 1])
    if m.left < 0 then
      m.left = INF
    end
    if m.state == 'running' then
      asking[#asking + 1] = m
    end
  end
end

-- Crawls that had no turn yet go in the order they asked.
local function comes_before(a, b)
  if a.tn ~= b.tn then
    return a.tn < b.tn
  end
  if a.rd ~= b.rd then
    return a.rd < b.rd
  end
  return num(a.m.c) < num(b.m.c)
end

-- A crawl that is asked for elsewhere learns within a second or so that the host is free.
local yield = 1500

-- F3: of the crawls that may be served on a due host, the one whose last turn is longest ago.
local function next_turn(name, due_for)
  local h = host(name)
  local best, found
  local owed = {}
  pair(due_for, name).index = true
  if h.hu and now < h.hu then
    return nil
  end
  -- More ran out than one step may move.
  if h.hu and not h.ho then
    expire(h)
  end
  for c in each_crawl(h) do
    local m = crawl(c)
    if m and m.left and m.left > 0 and m.state == 'running' then
      local p = pair(m, name)
      if has_work(m, p) and clock_of(h, m) <= now then
        found = found or m == due_for
        if not best or comes_before(p, best) then
          best = p
        end
      end
    elseif m and m.elsewhere and m.state == 'running' then
      local p = pair(m, name)
      local due = math.max(p.rd, clock_of(h, m))
      if has_work(m, p) and due <= now and now < due + yield then
        owed[#owed + 1] = { p, due + yield }
      end
    end
  end
  for _, o in ipairs(owed) do
    if best and comes_before(o[1], best) then
      local p = pair(due_for, name)
      p.index, p.late = true, o[2]
      return nil
    end
  end
  return found and best or nil
end

local function robots_of(name, entries)
  local known, copies = {}, {}
  for i = 1, #entries, 2 do
    local key = entries[i]
    local https = string.byte(key, 1) == 115
    local port = string.match(key, '^:%d+', https and 2 or 1) or ''
    local origin = (https and 'https://' or 'http://') .. name .. port
    if not known[origin] then
      known[origin] = true
      local copy = call('GET', P .. 'rb:' .. origin)
      if copy then
        copies[#copies + 1] = copy
      end
    end
  end
  return copies
end

local function grant(p)
  local m, name = p.m, p.name
  local h, s = host(name), site_of(p.m, p.t)
  local pages = math.min(m.left, m.hp - p.dp - p.lp, m.sp - s.dp - s.lp)
  take(m, h, worker)
  p.tn = h.f
  local entries, granted, alone = {}, 0, false
  h.leased, h.leased_in = {}, m.c
  for _, level in ipairs({ '0:', '1:' }) do
    local list, taken = P .. m.c .. level .. name, 0
    local room = urls - #entries / 2
    local front = room > 0 and call('LRANGE', list, '0', text(room - 1)) or {}
    for _, entry in ipairs(front) do
      local key, tail = split_entry(entry)
      if is_suspect(tail) and #entries > 0 then
        break
      end
      if is_page(tail) then
        if granted >= pages then
          break
        end
        granted = granted + 1
      end
      taken = taken + 1
      entries[#entries + 1] = key
      entries[#entries + 1] = tail
      h.leased[#h.leased + 1] = entry
      if is_suspect(tail) then
        alone = true
        break
      end
    end
    if taken > 0 then
      call('LTRIM', list, text(taken), '-1')
    end
    -- What could not be taken here comes before what the next list has.
    if alone or taken < #front then
      break
    end
  end
  local count = #entries / 2
  change_queued(m, p, -count)
  change_leased(m, p, count, granted)
  m.left = m.left - granted
  p.index = true
  return { m.c, name, h.f, m.ttl, entries, robots_of(name, entries) }
end

-- What this operation was granted, by host and fence: kept for a while, in case the answer is lost.
local granted_key = P .. 'g:' .. ARGV[5]

local function grants_again()
  local again = {}
  local list = call('GET', granted_key)
  if not list then
    return nil
  end
  for name, fence in string.gmatch(list, '(%S+) (%S+)') do
    local h = host(name)
    if h.hu and not h.ho and h.f == num(fence) then
      local entries = {}
      for _, entry in ipairs(leased_of(h)) do
        local key, tail = split_entry(entry)
        entries[#entries + 1] = key
        entries[#entries + 1] = tail
        if is_page(tail) then
          crawl(h.hc).freed = crawl(h.hc).freed - 1
        end
      end
      again[#again + 1] = { h.hc, name, h.f, crawl(h.hc).ttl, entries, robots_of(name, entries) }
    end
  end
  return again
end

if sent_again then
  local again = grants_again()
  if again then
    return { 'OK', outlook(), again, expired }
  end
end

local grants, looks = {}, 0
while #grants < wanted and now >= held_group and looks < wanted + 100 do
  local name, due, due_for
  for _, m in ipairs(asking) do
    local first = m.left > 0 and call('ZRANGE', P .. m.c .. 'q', '0', '0', 'WITHSCORES') or {}
    local at = num(first[2])
    if at and at <= now and (not due or at < due) then
      name, due, due_for = first[1], at, m
    end
  end
  if not name then
    break
  end
  looks = looks + 1
  local p = next_turn(name, due_for)
  if p then
    grants[#grants + 1] = grant(p)
  end
  flush_index()
end
if #grants > 0 then
  local list = {}
  for _, granted in ipairs(grants) do
    list[#list + 1] = granted[2] .. ' ' .. granted[3]
  end
  call('SET', granted_key, table.concat(list, ' '), 'EX', '60')
end
return { 'OK', outlook(), grants, expired }
