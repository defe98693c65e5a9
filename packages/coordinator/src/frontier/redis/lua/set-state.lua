-- ARGV[4] crawl, [5] state.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
call('HSET', P .. ARGV[4] .. 'm', 'state', ARGV[5])
return { 'OK' }
