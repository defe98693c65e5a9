-- Puts a crawl into the catalog, unless one of its id or name is there. ARGV[1] nonce, [2] id, [3] name, [4] wanted
-- state, [5] tags, [6] text, [7] where it was written by an earlier version, or "". Answers the entry that stands. Done
-- again it changes nothing more.
local nonce = ARGV[1]
if ARGV[7] ~= '' then
  -- What an earlier version kept of a crawl: text in {wf}j, everything else with the frontier.
  if call('HGET', P .. 'j', ARGV[2]) ~= ARGV[7] then
    return { false }
  end
  call('HDEL', P .. 'j', ARGV[2])
  local c = call('HGET', P .. 'i', ARGV[2])
  local v = c and call('HMGET', P .. c, 'nonce', 'state')
  if v and v[1] then
    nonce = v[1]
  end
  if v and (v[2] == 'paused' or v[2] == 'stopped') then
    ARGV[4] = v[2]
  end
end
local there = call('HGET', P .. 'Ei', ARGV[2]) or call('HGET', P .. 'En', ARGV[3])
if there or call('EXISTS', catalog.key(nonce)) == 1 then
  return { catalog.read(there or nonce) }
end
local version = catalog.changed(nonce)
call('HSET', catalog.key(nonce), 'id', ARGV[2], 'name', ARGV[3], 'place', version, 'version', version, 'wanted', ARGV[4],
  'tags', ARGV[5], 'text', ARGV[6])
call('HSET', P .. 'Ei', ARGV[2], nonce)
call('HSET', P .. 'En', ARGV[3], nonce)
call('ZADD', P .. 'Eo', version, nonce)
catalog.index(nonce, version, ARGV[4], ARGV[5])
return { catalog.read(nonce) }
