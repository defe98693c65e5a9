-- Puts a crawl into the catalog, unless one of its id or name is there. ARGV[1] nonce, [2] id, [3] name, [4] wanted
-- state, [5] tags, [6] text, [7] what an earlier version wrote of it in {wf}j, or "", [8] digest of the nonce. Answers
-- the entry that stands, and whether this call created it; 2 where the crawl was deleted and removed. Done again it
-- changes nothing more.
local nonce, wanted, old = ARGV[1], ARGV[4], ARGV[7]
if call('HGET', catalog.key(nonce), 'wanted') == 'deleted' then
  return { catalog.read(nonce), 0 }
end
if call('ZSCORE', P .. 'Ed', ARGV[8]) then
  return { false, 2 }
end
if old ~= '' and call('HGET', P .. 'j', ARGV[2]) ~= old then
  return { false, 0 }
end
local there = call('HGET', P .. 'Ei', ARGV[2]) or call('HGET', P .. 'En', ARGV[3])
if there then
  return { catalog.read(there), call('HGET', catalog.key(there), 'by') == ARGV[1] and 1 or 0 }
end
-- The frontier may know the crawl by a nonce of its own.
local c = call('HGET', P .. 'i', ARGV[2])
local v = c and call('HMGET', P .. c, 'nonce', 'state')
if v and v[1] and call('EXISTS', catalog.key(v[1])) == 0 then
  nonce = v[1]
  if old ~= '' and (v[2] == 'paused' or v[2] == 'stopped') then
    wanted = v[2]
  end
end
call('HDEL', P .. 'j', ARGV[2])
local version = catalog.changed(nonce)
call('HSET', catalog.key(nonce), 'id', ARGV[2], 'name', ARGV[3], 'place', version, 'version', version, 'wanted', wanted,
  'tags', ARGV[5], 'text', ARGV[6], 'by', ARGV[1])
call('HSET', P .. 'Ei', ARGV[2], nonce)
call('HSET', P .. 'En', ARGV[3], nonce)
call('ZADD', P .. 'Eo', version, nonce)
catalog.index(nonce, version, wanted, ARGV[5])
return { catalog.read(nonce), 1 }
