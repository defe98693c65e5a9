-- The files of this folder stand before every transition. It changes copies of what is stored; `flush`
-- writes them back with everything that follows from them. Only keys of one group (KEYS[1], such as
-- "{g12}") are touched, so one script is one atomic step of one shard. Key names: keys.ts.
-- ARGV[1] the caller's idea of this group's time in ms, ARGV[2] how sure it is (sure, new, given),
-- ARGV[3] the longest time any host may be held.
local P, call, num, INF = KEYS[1], redis.call, tonumber, math.huge

local function text(n)
  return string.format('%.17g', n)
end

local state = call('HMGET', P .. 's', 'closed', 'off', 'last', 'hold')
if state[1] then
  return { 'CLOSED' }
end
local now = math.floor(num(ARGV[1]))
local held_group = num(state[4]) or 0
if ARGV[2] ~= 'given' then
  -- F5: the engine's clock is wall time and may jump, also by a failover. A jump, or a caller that disagrees
  -- by more than 500 ms, holds the group for the longest hold; group time itself goes on where it was.
  local t = call('TIME')
  local wall = math.floor(num(t[1]) * 1000 + num(t[2]) / 1000)
  local off, last = num(state[2]) or 0, num(state[3]) or 0
  local here = wall + off
  if math.abs(now - here) > 500 or here < last - 500 then
    local from = math.max(last, ARGV[2] == 'sure' and now or here)
    held_group = from + num(ARGV[3])
    call('HSET', P .. 's', 'off', text(from - wall), 'last', text(from), 'hold', text(held_group))
    return { 'CLOCK', text(from) }
  end
  now = math.max(here, last)
  if now > last + 100 then
    call('HSET', P .. 's', 'last', text(now))
  end
end

