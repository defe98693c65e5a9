-- Keeps the counts of a crawl as the sample of this slot of time: history/samples.ts. ARGV[1] crawl, [2] its nonce,
-- [3] the time in ms, or "" for the engine's, [4] ms of a slot, [5] samples of a level, [6] the counts as text of fixed
-- length, [7] 1: in place of a sample that the slot has, [8] for how many ms it has rested, [9] how many rests are
-- kept. Answers OK, STALE (the slot has one, or the clock was set back) or GONE, each in a list. Done again it changes nothing more.
local c, slot_ms, size = ARGV[1], num(ARGV[4]), num(ARGV[5])
if not catalog.is_listed(c) or call('HGET', P .. c, 'nonce') ~= ARGV[2] then
  return { 'GONE' }
end
local at = catalog.time_ms(ARGV[3])
local key, sample = P .. c .. 'h', string.format('%013d', at) .. ARGV[6]
local function slot_of(kept)
  return math.floor(num(string.sub(kept, 1, 13)) / slot_ms)
end
-- Beside what is known of the crawl: the version before takes every field of its history for samples.
local rested = num(ARGV[8])
if rested > 0 then
  local kept = call('HGET', P .. c, 'rests') or ''
  local from, last = at - rested, string.sub(kept, -26)
  if last ~= '' and from - num(string.sub(last, 14)) <= slot_ms then
    from, kept = num(string.sub(last, 1, 13)), string.sub(kept, 1, -27)
  end
  call('HSET', P .. c, 'rests', string.sub(kept .. string.format('%013d%013d', from, at), -26 * num(ARGV[9])))
end
local first = call('HGET', key, 'first')
local slot = first and slot_of(sample) - slot_of(first) or 0
if slot < 0 then
  return { 'STALE' }
end
local level = slot == 0 and 'first' or 0
if slot > 0 then
  local rest = slot
  while rest % 2 == 0 do
    rest, level = rest / 2, level + 1
  end
end
local kept = call('HGET', key, level) or ''
if kept ~= '' then
  local apart = slot_of(sample) - slot_of(string.sub(kept, -#sample))
  if apart < 0 or (apart == 0 and ARGV[7] ~= '1') then
    return { 'STALE' }
  end
  if apart == 0 then
    kept = string.sub(kept, 1, -#sample - 1)
  end
end
call('HSET', key, level, string.sub(kept .. sample, -size * #sample))
return { 'OK' }
