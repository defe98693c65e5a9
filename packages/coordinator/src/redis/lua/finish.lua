-- F9: a crawl is finished: a finisher has seen every group closed, twice. ARGV[1] crawl, [2] how often the crawl was
-- opened before the finisher looked. Answers OK; BUSY where something has come in since, or seeds are being offered;
-- GONE. Done again it changes nothing more.
local key = P .. ARGV[1]
local v = call('HMGET', key, 'state', 'opened')
if not v[1] then
  return 'GONE'
end
local t = call('TIME')
local held = call('ZCOUNT', key .. 'h', '(' .. text(num(t[1]) * 1000 + num(t[2]) / 1000), '+inf')
if held > 0 or (v[2] or '0') ~= ARGV[2] then
  return 'BUSY'
end
call('HSET', key, 'state', 'finished')
call('SREM', P .. 'r', ARGV[1])
return 'OK'
