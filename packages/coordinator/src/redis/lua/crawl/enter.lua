-- F21: something of a crawl is about to come into groups in which it was opened. ARGV[1] crawl, [2] the number of the change
-- that they heard of, then the groups. Answers OK, or LATE where another change is in force by now, of which they must hear
-- first; and what is in force; or GONE.
local change = catalog.change(ARGV[1])
if not change[2] then
  return { 'GONE' }
end
if change[3] ~= num(ARGV[2]) then
  return { 'LATE', change }
end
if change[5] ~= 'all' then
  change[5] = catalog.enter(ARGV[1], change[5], change[3], 3)
end
return { 'OK', change }
