-- F9: a crawl is finished: a finisher has seen every group closed, twice. ARGV[1] crawl, [2] how often the crawl was
-- opened before the finisher looked, [3] the groups it had come into by then. Answers OK and what is in force; BUSY where
-- something has come in since, or seeds are missing; GONE. Done again it changes nothing more.
local key = P .. ARGV[1]
local v = call('HMGET', key, 'state', 'opened', 'unseeded')
if not v[1] then
  return { 'GONE' }
end
if v[3] or (v[2] or '0') ~= ARGV[2] or catalog.change(ARGV[1])[5] ~= ARGV[3] then
  return { 'BUSY' }
end
call('HSET', key, 'state', 'finished')
call('HINCRBY', key, 'order', 1)
call('SREM', P .. 'r', ARGV[1])
catalog.note(ARGV[1])
return { 'OK', catalog.change(ARGV[1]) }
