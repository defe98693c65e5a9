-- ARGV[1] crawl, [2] change. Never below 0.
local key = KEYS[1] .. ARGV[1]
if redis.call('HINCRBY', key, 'seeding', ARGV[2]) < 0 then
  redis.call('HSET', key, 'seeding', 0)
end
return 'OK'
