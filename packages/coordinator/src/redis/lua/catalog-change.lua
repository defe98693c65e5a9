-- Changes an entry that still has the version that the caller knows. ARGV[1] nonce, [2] version, [3] the operation, [4]
-- state, [5] tags, [6] text. One that is deleted no longer has its id and name. Answers OK, STALE or GONE, and the entry.
-- Done again it changes nothing more.
local key = catalog.key(ARGV[1])
local v = call('HMGET', key, 'version', 'op', 'wanted', 'tags', 'place', 'id', 'name')
if v[2] == ARGV[3] then
  return { 'OK', catalog.read(ARGV[1]) }
end
if not v[1] or v[3] == 'deleted' then
  return { 'GONE', false }
end
if v[1] ~= ARGV[2] then
  return { 'STALE', catalog.read(ARGV[1]) }
end
catalog.unindex(ARGV[1], v[3], v[4])
catalog.index(ARGV[1], v[5], ARGV[4], ARGV[5])
call('HSET', key, 'version', catalog.changed(ARGV[1]), 'op', ARGV[3], 'wanted', ARGV[4], 'tags', ARGV[5], 'text', ARGV[6])
if ARGV[4] == 'deleted' then
  call('HDEL', P .. 'Ei', v[6])
  call('HDEL', P .. 'En', v[7])
end
return { 'OK', catalog.read(ARGV[1]) }
