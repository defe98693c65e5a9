-- F20: all groups have been told of a change of a crawl. ARGV[1] crawl, [2] the number of the change, [3] the highest number
-- that a group has heard of. A store that went back in time has a lower one, which no group would take: it goes on above.
-- Answers the number that is in force.
local key = P .. ARGV[1]
if not catalog.is_listed(ARGV[1]) then
  return 'GONE'
end
local order, told = num(call('HGET', key, 'order')) or 0, num(call('HGET', key, 'told')) or 0
if num(ARGV[3]) > order then
  order = num(ARGV[3]) + 1
  call('HSET', key, 'order', text(order))
elseif num(ARGV[2]) > told then
  call('HSET', key, 'told', ARGV[2])
end
return order
