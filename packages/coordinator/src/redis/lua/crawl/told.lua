-- F20: all groups that a crawl has come into were told of a change of it. ARGV[1] crawl, [2] the number of the change, [3] the highest number
-- that a group has heard of. A store that went back in time has a lower one, which no group would take: it goes on above.
-- Answers the number that is in force.
local key = P .. ARGV[1]
if not catalog.is_listed(ARGV[1]) then
  return 'GONE'
end
local change = catalog.change(ARGV[1])
local order, told = change[3], change[4]
if num(ARGV[3]) > order then
  order = num(ARGV[3]) + 1
  call('HSET', key, 'order', text(order))
  catalog.note(ARGV[1])
elseif num(ARGV[2]) > told then
  call('HSET', key, change[5] == 'all' and 'told' or 'heard', ARGV[2])
  catalog.note(ARGV[1])
end
return order
