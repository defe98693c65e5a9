-- Entries of the catalog, which only steps on the whole store touch. An entry is a hash: id, name, place, version,
-- wanted, tags (one a line), text, op (the last change). Those that are not deleted are found by id and by name.
local catalog = {}

function catalog.key(nonce)
  return P .. 'E:' .. nonce
end

-- As the caller is told: nonce, id, name, version, wanted, tags, text; false where there is none.
function catalog.read(nonce)
  local v = nonce and call('HMGET', catalog.key(nonce), 'id', 'name', 'version', 'wanted', 'tags', 'text')
  return v and v[1] and { nonce, unpack(v) } or false
end

-- A crawl is to be erased: from now on no step finds it, and what the whole store keeps of it is gone. Its keys in the
-- groups follow; until then it is noted.
function catalog.unlist(c, id)
  call('HSET', P .. 't', c, id .. '\n' .. (call('HGET', P .. c, 'nonce') or ''))
  call('HDEL', P .. 'i', id)
  call('SREM', P .. 'r', c)
  call('DEL', P .. c, P .. c .. 's', P .. c .. 'h', P .. c .. 'b', P .. c .. 'a')
end

-- Whether the store lists a crawl of this number: one that was erased must not be written to again.
function catalog.is_listed(c)
  return call('HEXISTS', P .. c, 'state') == 1
end

-- What is in force of a crawl: settings, state, the number of the last change, and of the last one that all groups have heard
-- of (F20).
function catalog.change(c)
  local v = call('HMGET', P .. c, 'settings', 'state', 'order', 'told')
  return { v[1], v[2], num(v[3]) or 0, num(v[4]) or 0 }
end

-- Milliseconds since 1970, as given or else by the engine's clock.
function catalog.time_ms(given)
  if num(given) then
    return num(given)
  end
  local t = call('TIME')
  return math.floor(num(t[1]) * 1000 + num(t[2]) / 1000)
end

-- The number of a change. All processes are told of the last 1,000.
function catalog.changed(nonce)
  local version = call('HINCRBY', P .. 'Ev', 'generation', 1)
  call('ZADD', P .. 'El', version, nonce)
  local over = call('ZCARD', P .. 'El') - 1000
  if over > 0 then
    local popped = call('ZPOPMIN', P .. 'El', over)
    call('HSET', P .. 'Ev', 'forgotten', popped[#popped])
  end
  return version
end

function catalog.index(nonce, place, wanted, tags)
  call('ZADD', P .. 'Es:' .. wanted, place, nonce)
  for tag in string.gmatch(tags, '[^\n]+') do
    call('ZADD', P .. 'Et:' .. tag, place, nonce)
  end
end

function catalog.unindex(nonce, wanted, tags)
  call('ZREM', P .. 'Es:' .. wanted, nonce)
  for tag in string.gmatch(tags, '[^\n]+') do
    call('ZREM', P .. 'Et:' .. tag, nonce)
  end
end
