-- Gives a crawl its number, or changes its settings. ARGV[1] name, [2] settings. Answers number and state.
local P = KEYS[1]
local c = redis.call('HGET', P .. 'i', ARGV[1])
if not c then
  c = tostring(redis.call('HINCRBY', P .. 'v', 'crawls', 1))
  redis.call('HSET', P .. 'i', ARGV[1], c)
  redis.call('HSET', P .. c, 'name', ARGV[1], 'state', 'running')
end
redis.call('HSET', P .. c, 'settings', ARGV[2])
return { c, redis.call('HGET', P .. c, 'state') }
