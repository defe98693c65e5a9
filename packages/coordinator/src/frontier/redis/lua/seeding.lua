-- ARGV[1] crawl, [2] change. Never below 0. When somebody last began is kept: who dies at it comes back to nobody.
local key = KEYS[1] .. ARGV[1]
if tonumber(ARGV[2]) > 0 then
  redis.call('HSET', key, 'seeded', redis.call('TIME')[1])
end
if redis.call('HINCRBY', key, 'seeding', ARGV[2]) < 0 then
  redis.call('HSET', key, 'seeding', 0)
end
return 'OK'
