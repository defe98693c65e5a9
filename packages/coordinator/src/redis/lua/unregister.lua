-- Takes a crawl out of the list (F13). ARGV[1] name. Answers its number and whether it can be erased: OK; BUSY while
-- somebody asks for its URLs; number "" where there is none. What is being erased is noted until it is gone, so that
-- whoever comes after one that was cut off finds it by its name.
local c = call('HGET', P .. 'i', ARGV[1])
if c then
  if call('EXISTS', P .. c .. 'a') == 1 then
    return { c, 'BUSY' }
  end
  call('HSET', P .. 't', c, ARGV[1])
  call('HDEL', P .. 'i', ARGV[1])
  call('SREM', P .. 'r', c)
  call('HDEL', P .. 'j', ARGV[1])
  return { c, 'OK' }
end
local noted = call('HGETALL', P .. 't')
for i = 1, #noted, 2 do
  if noted[i + 1] == ARGV[1] then
    return { noted[i], 'OK' }
  end
end
return { '', 'OK' }
