-- Somebody offers seeds of a crawl, or has done so. ARGV[1] crawl, [2] who, [3] for how many ms that holds it open, 0:
-- no longer. Done again it changes nothing more.
local key = P .. ARGV[1] .. 'h'
local t = call('TIME')
local now = math.floor(num(t[1]) * 1000 + num(t[2]) / 1000)
call('ZREMRANGEBYSCORE', key, '-inf', text(now))
if num(ARGV[3]) > 0 then
  call('ZADD', key, text(now + num(ARGV[3])), ARGV[2])
else
  call('ZREM', key, ARGV[2])
end
return 'OK'
