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

-- Where nothing may need the time, it is read by whoever does, with the group's state as it was.
local unread
local function tell_time()
  if unread then
    local state = unread
    unread = nil
    read_time(state.off, state.last)
  end
end

-- Answers what to say at once, if anything. `c` is the crawl it is about, where that is one; `later` leaves reading
-- the time to `tell_time`.
local function begin(keys, args, c, later)
  take_arguments(keys, args)
  crawls, hosts, pairs_of, site_sums = {}, {}, {}, {}
  forget_texts()
  sent_again = string.byte(ARGV[1], -1) == 114
  now, held_group, unread = num(sent_again and string.sub(ARGV[1], 1, -2) or ARGV[1]), 0, nil
  local off, last = 0, 0
  read_ahead(c and { P .. 's', P .. c .. 'm' } or { P .. 's' })
  local state = fetched[P .. 's']
  if state then
    local a, b, c, closed = string.match(state, '^(%S+) (%S+) (%S+) ?(%S*)')
    off, last, held_group = num(a), num(b), num(c)
    if closed ~= '' then
      return { 'CLOSED', closed }
    end
  end
  if ARGV[2] == 'given' then
    return
  end
  if later then
    unread = { off = off, last = last }
    return
  end
  return read_time(off, last)
end
