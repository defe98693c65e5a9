-- A file of results is about to be written anew with fewer links, or is. ARGV[4] crawl, [5] up to which id it has results, [6]
-- how many links of it count so far, [7] how many will, or "" once it is written. What counts is noted until then: a process
-- may die before it has written the file, or before it could say so.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
local key = P .. m.c .. 'j'
if ARGV[7] == '' then
  call('HDEL', key, ARGV[5])
  return { 'OK', '' }
end
add(m, 'edges', num(ARGV[7]) - num(call('HGET', key, ARGV[5]) or ARGV[6]))
call('HSET', key, ARGV[5], ARGV[7])
write_sums(m)
return { 'OK', '' }
