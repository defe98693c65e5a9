-- Gives a crawl its number, or changes its settings. ARGV[1] name, [2] settings, [3] a nonce for a crawl that is new.
-- A new crawl is not finished before its seeds were offered, which takes the mark `unseeded` away. Answers number,
-- state and nonce.
local c = call('HGET', P .. 'i', ARGV[1])
if not c then
  c = tostring(call('HINCRBY', P .. 'v', 'crawls', 1))
  call('HSET', P .. 'i', ARGV[1], c)
  call('HSET', P .. c, 'name', ARGV[1], 'state', 'running', 'unseeded', '1')
end
call('HSETNX', P .. c, 'nonce', ARGV[3])
call('HSET', P .. c, 'settings', ARGV[2])
local state = call('HGET', P .. c, 'state')
if state ~= 'finished' then
  call('SADD', P .. 'r', c)
end
return { c, state, call('HGET', P .. c, 'nonce') }
