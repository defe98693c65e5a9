-- F5: the engine's clock is wall time and may jump, also by a failover. A group's time is that clock, but never goes
-- back: set back, it goes on from where it was, so that everything waits a little longer and nothing comes too soon.
-- A clock set forward would let hosts be asked too soon. The group cannot notice that; a caller that decides by time
-- can, because it says what time it should be. More than 500 ms apart it is told so and nothing happens. Whether the
-- store or the caller is wrong cannot be known, so the caller grants nothing for a while (`wary`), and no other waits.
-- `last` is a time that some caller agreed with, and moves on only so: it vouches for the group's time.
local function read_time(off, last)
  local t = call('TIME')
  local wall = math.floor(num(t[1]) * 1000 + num(t[2]) / 1000)
  local here, asked, wary = wall + off, ARGV[2], num(ARGV[3])
  local set_back = here < last - 500
  if set_back then
    off, here = last - wall, last
    call('SET', P .. 's', string.format('%d %d %d', off, last, held_group))
  end
  local apart = math.abs(now - here) > 500
  if asked == 'sure' or asked == 'new' then
    local doubted = asked == 'new' and wary == 0 and call('PTTL', P .. 'g:doubt') or 0
    if apart or doubted > 0 then
      return { 'CLOCK', text(here), text(last), text(math.max(doubted, 0)) }
    end
  end
  local agreed = asked ~= 'free' and not apart and wary == 0
  now = math.max(here, last)
  if agreed and now > last + 250 then
    call('SET', P .. 's', string.format('%d %d %d', off, now, held_group))
  end
  if wary > 0 then
    held_group = math.max(held_group, now + wary)
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
  read_ahead(c and { P .. 's', P .. 'v', P .. c .. 'm' } or { P .. 's', P .. 'v' })
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
