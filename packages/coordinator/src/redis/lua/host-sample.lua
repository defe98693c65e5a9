-- Keeps the pages and troubles of the busiest hosts of a crawl as the sample of this slot of time:
-- history/host-samples.ts. ARGV[1] crawl, [2] its nonce, [3] the time in ms, or "" for the engine's, [4] ms of a slot,
-- [5] the version of the hosts that was seen, [6] the slot that was seen, [7] the hosts, [8] the values, [9] samples of a
-- level, [10] 1: in place of a sample that the slot has, [11] 1: the crawl is over. Answers OK, STALE (somebody has
-- written since, the slot is over, or the clock was set back) or GONE, each in a list.
local c, slot_ms, size = ARGV[1], num(ARGV[4]), num(ARGV[9])
if not catalog.is_listed(c) or call('HGET', P .. c, 'nonce') ~= ARGV[2] then
  return { 'GONE' }
end
local key = P .. c .. 'b'
local at = catalog.time_ms(ARGV[3])
local slot = math.floor(at / slot_ms)
if (call('HGET', key, 'v') or '0') ~= ARGV[5] or slot ~= num(ARGV[6]) then
  return { 'STALE' }
end
local kept, oldest = {}, slot
for _, field in ipairs(call('HKEYS', key)) do
  local other = num(field)
  if other then
    if other > slot or (other == slot and ARGV[10] ~= '1') then
      return { 'STALE' }
    end
    kept[#kept + 1], oldest = other, math.min(oldest, other)
  end
end
call('HSET', key, 'v', text(num(ARGV[5]) + 1), 'hosts', ARGV[7], text(slot), string.format('%013d', at) .. ARGV[8])
local function step_at(age)
  local step = 1
  while age >= 2 * size * step do
    step = step * 2
  end
  return step
end
local over = ARGV[11] == '1'
if over then
  call('HSET', key, 'o', text(slot) .. ' ' .. text(step_at(slot - oldest)))
end
for _, other in ipairs(kept) do
  if other ~= slot and other % step_at(slot - (over and oldest or other)) ~= 0 then
    call('HDEL', key, text(other))
  end
end
return { 'OK' }
