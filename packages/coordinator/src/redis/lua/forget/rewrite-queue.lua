-- Entries of a queue are written anew. ARGV[4] crawl, [5] the list, then for each its place, its text before and after. One that
-- is not in its place any more stays as it is, wherever it is now. Answers how many of these there are.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
local list, missed = P .. m.c .. ARGV[5], 0
for i = 6, #ARGV, 3 do
  if call('LINDEX', list, ARGV[i]) == ARGV[i + 1] then
    call('LSET', list, ARGV[i], ARGV[i + 2])
  else
    missed = missed + 1
  end
end
return { 'OK', '', missed }
