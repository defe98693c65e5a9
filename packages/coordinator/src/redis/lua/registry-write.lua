-- Writes or removes a document that still has the version that the caller knows. ARGV[1] kind, [2] id, [3] version, 0 for
-- no document, [4] the operation, [5] text, or "" to remove it, [6] most documents of a kind, [7] changes to remember.
-- Answers OK and its version and time, STALE and the document, or FULL. Done again it changes nothing more.
local docs, ids = P .. 'R:' .. ARGV[1], P .. 'Ri:' .. ARGV[1]
local before = registry.before(ARGV[4])
if before then
  return { 'OK', before }
end
local there = call('HGET', docs, ARGV[2])
if (there and string.match(there, '^%d+') or '0') ~= ARGV[3] then
  return { 'STALE', there }
end
if not there and call('HLEN', docs) >= num(ARGV[6]) then
  return { 'FULL' }
end
local stamp = registry.changed(ARGV[1], ARGV[2], ARGV[7]) .. ' ' .. text(registry.now())
if ARGV[5] == '' then
  call('HDEL', docs, ARGV[2])
  call('ZREM', ids, ARGV[2])
else
  call('HSET', docs, ARGV[2], stamp .. ' ' .. ARGV[5])
  call('ZADD', ids, 0, ARGV[2])
end
return { 'OK', registry.done(ARGV[4], stamp) }
