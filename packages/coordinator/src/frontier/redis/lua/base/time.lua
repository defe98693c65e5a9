-- A library of functions, loaded once per server: everything here is local to it, and every transition starts
-- with `begin`, which forgets the one before. A transition changes copies of what is stored; `flush` writes
-- them back with everything that follows from them. Only keys of one group (KEYS[1], such as "{g12}") are
-- touched, so one transition is one atomic step of one shard. Key names: keys.ts.
-- ARGV[1] the caller's idea of this group's time in ms, with an r behind it when sent again; ARGV[2] what to do with it: given (take it), free
-- (nothing is decided by time here), told (nor here, but it is better than a clock that jumped), sure or new
-- (compare it, F5), repair (go on from it); ARGV[3] the longest
-- time any host may be held.
local KEYS, ARGV, P, call, num, INF
local now, held_group
-- Sent before: the answer may have been lost, and then it has happened.
local sent_again
local crawls, hosts, pairs_of, site_sums

-- Whole milliseconds and counts only: a number given to the engine as it is costs a microsecond to print.
local function text(n)
  return string.format('%d', n)
end

-- F5: the engine's clock is wall time and may jump, also by a failover. Whoever decides by time says what time
-- it should be; more than 500 ms apart it is told so and nothing happens. If it was not merely late, it calls
-- again to repair: group time goes on where it was, and the group is held for the longest hold.
local function read_time(off, last)
  local t = call('TIME')
  local wall = math.floor(num(t[1]) * 1000 + num(t[2]) / 1000)
  local here, asked = wall + off, ARGV[2]
  if asked == 'repair' then
    local from = math.max(last, now)
    held_group = from + num(ARGV[3])
    call('SET', P .. 's', string.format('%d %d %d', from - wall, from, held_group))
    return { 'CLOCK', text(from) }
  end
  local apart = math.abs(now - here) > 500
  if asked == 'told' and apart then
    -- Nothing is written of a time that is in doubt: the repair goes on from the one before.
    now = math.max(now, last)
    return nil
  end
  if (asked == 'sure' or asked == 'new') and (apart or here < last - 500) then
    return { 'CLOCK', text(here), text(last) }
  end
  now = math.max(here, last)
  if now > last + 250 then
    call('SET', P .. 's', string.format('%d %d %d', off, now, held_group))
  end
end

-- Answers what to say at once, if anything.
local function begin(keys, args)
  KEYS, ARGV, P = keys, args, keys[1]
  call, num, INF = redis.call, tonumber, math.huge
  crawls, hosts, pairs_of, site_sums = {}, {}, {}, {}
  local stamp, mark = string.match(ARGV[1], '^(%-?%d+)(r?)$')
  now, held_group, sent_again = num(stamp), 0, mark == 'r'
  local off, last = 0, 0
  local state = call('GET', P .. 's')
  if state then
    local a, b, c, closed = string.match(state, '^(%S+) (%S+) (%S+) ?(%S*)')
    off, last, held_group = num(a), num(b), num(c)
    if closed ~= '' then
      return { 'CLOSED', closed }
    end
  end
  if ARGV[2] ~= 'given' then
    return read_time(off, last)
  end
end
