-- Hosts that are due, to one worker. ARGV[4] worker, [5] operation, [6] hosts at most, [7] URLs per host at
-- most, then for each running crawl its number and how many pages it may lease (-1: no ceiling, 0: its ceiling
-- is reached; -2: it is asked for elsewhere, and has its turns all the same). "t" and a team: whose the crawls behind are.
local worker, wanted, urls = ARGV[4], num(ARGV[6]), num(ARGV[7])
local expired = expire_due(500)
flush_index()

local asking, team = {}, ''
for i = 8, #ARGV, 2 do
  local m = ARGV[i] ~= 't' and crawl(ARGV[i])
  if ARGV[i] == 't' then
    team = ARGV[i + 1]
  elseif m and ARGV[i + 1] == '-2' then
    m.elsewhere, m.team = true, team
  elseif m then
    m.asked, m.team = true, team
    m.left = num(ARGV[i + 1])
    -- F12: who has not heard yet of a ceiling draws no permits.
    if m.left < 0 then
      m.left = m.bounded_whole and 0 or INF
    end
    if m.state == 'running' then
      asking[#asking + 1] = m
    end
  end
end

-- Crawls that had no turn yet go in the order they asked.
local function comes_before(a, b, turns)
  if turns[a.m.team] ~= turns[b.m.team] then
    return turns[a.m.team] < turns[b.m.team]
  end
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

-- F3: of the teams that have something to fetch on a due host the one whose last turn is longest ago is next, and of its
-- crawls that may be served likewise.
local function next_turn(name, due_for)
  local h = host(name)
  local best, found
  local sharing, owed, turns = {}, {}, {}
  pair(due_for, name).index = true
  if h.hu and now < h.hu then
    return nil
  end
  -- More ran out than one step may move.
  if h.hu and not h.ho then
    expire(h)
  end
  for _, m in live_crawls(h) do
    if m.state == 'running' and (m.elsewhere or m.left and m.left > 0) then
      local p = pair(m, name)
      if has_work(m, p) then
        sharing[#sharing + 1] = p
        turns[m.team] = math.max(turns[m.team] or 0, p.tn)
      end
    end
  end
  for _, p in ipairs(sharing) do
    local clock = clock_of(h, p.m)
    if not p.m.elsewhere then
      if clock <= now then
        found = found or p.m == due_for
        if not best or comes_before(p, best, turns) then
          best = p
        end
      end
    else
      local due = math.max(p.rd, clock)
      if due <= now and now < due + yield then
        owed[#owed + 1] = { p, due + yield }
      end
    end
  end
  for _, o in ipairs(owed) do
    if best and comes_before(o[1], best, turns) then
      local p = pair(due_for, name)
      p.index, p.late = true, o[2]
      return nil
    end
  end
  return found and best or nil
end

-- Copies of robots.txt for the origins of these entries: nearly always one, https without a port.
local function robots_of(name, entries)
  local known, copies = {}, {}
  local plain = false
  for _, entry in ipairs(entries) do
    local https = string.byte(entry, 1) == 115
    local origin
    if string.byte(entry, https and 2 or 1) == 58 then
      origin = (https and 'https://' or 'http://') .. name .. string.match(entry, '^:%d+', https and 2 or 1)
    elseif not https then
      origin = 'http://' .. name
    elseif not plain then
      plain, origin = true, 'https://' .. name
    end
    if origin and not known[origin] then
      known[origin] = true
      local copy = read(P .. 'rb:' .. origin)
      if copy then
        copies[#copies + 1] = copy
      end
    end
  end
  return copies
end

-- The first entries of a queue, without those that nobody can take apart.
local function take_front(p, list, room)
  local front, good = call('LPOP', list, text(room)) or {}, {}
  for _, entry in ipairs(front) do
    if is_entry(entry) then
      good[#good + 1] = entry
    else
      set_entry_aside(p.m, p.name, entry)
    end
  end
  if #good < #front then
    change_queued(p.m, p, #good - #front)
  end
  return good
end

local function grant(p)
  local m, name = p.m, p.name
  local h, s = host(name), site_of(p.m, p.t)
  local pages = math.min(m.left, m.hp - p.dp - p.lp, m.sp - s.dp - s.lp)
  take(m, h, worker)
  p.tn = h.f
  local entries, granted, alone = {}, 0, false
  for _, level in ipairs(levels_of(p)) do
    local list, taken = P .. m.c .. level .. name, 0
    local room = urls - #entries
    local front = room > 0 and take_front(p, list, room) or {}
    take_wishes(m, name, front)
    for _, entry in ipairs(front) do
      local at = string.find(entry, '\n', 1, true)
      local kind, _, deaths = string.byte(entry, at + 1, at + 3)
      -- Whatever a worker ended with in hand is leased alone.
      if deaths ~= 48 and #entries > 0 then
        break
      end
      if kind == 48 then
        if granted >= pages then
          break
        end
        granted = granted + 1
      end
      taken = taken + 1
      entries[#entries + 1] = entry
      if deaths ~= 48 then
        alone = true
        break
      end
    end
    if taken < #front then
      local back = {}
      for i = #front, taken + 1, -1 do
        back[#back + 1] = front[i]
      end
      in_chunks('LPUSH', list, back)
    end
    -- What could not be taken here comes before what the next list has.
    if alone or taken < #front then
      break
    end
  end
  h.leased, h.leased_in = entries, m.c
  change_queued(m, p, -#entries)
  change_leased(m, p, #entries, granted)
  m.left = m.left - granted
  p.index = true
  return { m.c, name, h.f, m.ttl, entries, robots_of(name, entries), ended_ago(h) }
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
      local entries, m = leased_of(h), crawl(h.hc)
      m.tells = true
      again[#again + 1] = { h.hc, name, h.f, m.ttl, entries, robots_of(name, entries), ended_ago(h) }
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

-- The first hosts of all that ask, by when they are due; of those due at once the crawl that was named first. Of what
-- is due later than the last that was read of some crawl nothing can be said yet.
local function due_hosts(count)
  local found, known_until = {}, now
  for n, m in ipairs(asking) do
    local range = m.left > 0 and { P .. m.c .. 'q', '-inf', text(now), 'WITHSCORES', 'LIMIT', '0', text(count) }
    local first = range and call('ZRANGEBYSCORE', unpack(range)) or {}
    for i = 1, #first, 2 do
      found[#found + 1] = { name = first[i], at = num(first[i + 1]), n = n, i = i, m = m }
    end
    if #first == 2 * count then
      known_until = math.min(known_until, found[#found].at)
    end
  end
  if #asking < 2 then
    return found
  end
  table.sort(found, function(a, b)
    if a.at ~= b.at then
      return a.at < b.at
    end
    return a.n < b.n or (a.n == b.n and a.i < b.i)
  end)
  while #found > 0 and found[#found].at > known_until do
    found[#found] = nil
  end
  return found
end

-- Everything about these hosts that is likely to be needed.
local function read_hosts(found)
  local keys = {}
  for _, f in ipairs(found) do
    keys[#keys + 1] = P .. 'h:' .. f.name
    keys[#keys + 1] = P .. f.m.c .. 'p:' .. f.name
    keys[#keys + 1] = P .. 'rb:https://' .. f.name
  end
  read_ahead(keys)
  local sites = {}
  for _, f in ipairs(found) do
    local key = P .. f.m.c .. 't:' .. pair(f.m, f.name).t
    if fetched[key] == nil then
      sites[#sites + 1] = key
    end
  end
  read_ahead(sites)
end

local grants, looks = {}, 0
while #grants < wanted and now >= held_group and looks < wanted + 100 do
  local found = due_hosts(wanted - #grants)
  if #found == 0 then
    break
  end
  read_hosts(found)
  for _, f in ipairs(found) do
    if #grants < wanted and f.m.left > 0 then
      local p = next_turn(f.name, f.m)
      if p then
        grants[#grants + 1] = grant(p)
      end
    end
  end
  looks = looks + #found
  flush_index()
end
if #grants > 0 then
  local list = {}
  for _, granted in ipairs(grants) do
    list[#list + 1] = granted[2] .. ' ' .. text(granted[3])
  end
  call('SET', granted_key, table.concat(list, ' '), 'EX', '60')
end
return { 'OK', outlook(), grants, expired }
