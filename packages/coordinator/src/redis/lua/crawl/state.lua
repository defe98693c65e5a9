-- What a crawl may do, for the whole store. ARGV[1] crawl, [2] state, [3] which wish of an operator that is, or "". A wish
-- that is older than the last one is too late. Answers OK and what is in force: settings, state and the number of the last
-- change (F20); or GONE.
if not catalog.is_listed(ARGV[1]) then
  return { 'GONE' }
end
local key = P .. ARGV[1]
local wish, last = num(ARGV[3]), num(call('HGET', key, 'wish')) or 0
if not wish or wish >= last then
  call('HSET', key, 'state', ARGV[2], 'wish', text(wish or last))
  call('HDEL', key, 'limitedBy')
  call('HINCRBY', key, 'order', 1)
  call(ARGV[2] == 'finished' and 'SREM' or 'SADD', P .. 'r', ARGV[1])
  catalog.note(ARGV[1])
end
return { 'OK', catalog.change(ARGV[1]) }
