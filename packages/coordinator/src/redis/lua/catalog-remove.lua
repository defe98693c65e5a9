-- Drops the entry of a deleted crawl, and nothing of it is left. ARGV[1] nonce, [2] its digest, by which
-- the removal is remembered, [3] how many are. Done again it changes nothing more.
local v = call('HMGET', catalog.key(ARGV[1]), 'wanted', 'tags', 'version')
if v[1] == 'deleted' then
  catalog.unindex(ARGV[1], v[1], v[2])
  call('ZREM', P .. 'Eo', ARGV[1])
  call('ZREM', P .. 'El', ARGV[1])
  call('DEL', catalog.key(ARGV[1]))
  call('ZADD', P .. 'Ed', v[3], ARGV[2])
  call('ZREMRANGEBYRANK', P .. 'Ed', 0, -1 - num(ARGV[3]))
  -- A process that has not seen the deletion by now is to list all entries again.
  if num(v[3]) > num(call('HGET', P .. 'Ev', 'forgotten') or 0) then
    call('HSET', P .. 'Ev', 'forgotten', v[3])
  end
end
return 'OK'
