-- ARGV[1] crawl, [2] change, [3] who asks, [4] the operation: done once, however often it is sent. Never below
-- 0. When somebody last began is kept: who dies at it comes back to nobody.
local key = P .. ARGV[1]
if call('HGET', key, 'seeds:' .. ARGV[3]) == ARGV[4] then
  return 'OK'
end
call('HSET', key, 'seeds:' .. ARGV[3], ARGV[4])
if num(ARGV[2]) > 0 then
  call('HSET', key, 'seeded', call('TIME')[1])
end
if call('HINCRBY', key, 'seeding', ARGV[2]) < 0 then
  call('HSET', key, 'seeding', '0')
end
return 'OK'
