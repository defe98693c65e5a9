-- Entries of the catalog, which only steps on the whole store touch. An entry is a hash: id, name, place, version,
-- wanted, tags (one a line), text, op (the last change). Those that are not deleted are found by id and by name.
local catalog = {}

function catalog.key(nonce)
  return P .. 'E:' .. nonce
end

-- Something of a crawl has changed that other processes must hear of. They ask for what has changed since they last asked:
-- the latest 10,000 crawls are known, by the number of their last change.
function catalog.note(c)
  local number = call('HINCRBY', P .. 'v', 'noted', 1)
  call('ZADD', P .. 'n', text(number), c)
  local over = number % 1000 == 0 and call('ZCARD', P .. 'n') - 10000 or 0
  if over > 0 then
    local gone = call('ZPOPMIN', P .. 'n', text(over))
    call('HSET', P .. 'v', 'unnoted', gone[#gone])
  end
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
  call('HSET', P .. 'tg', c, catalog.change(c)[5])
  call('HDEL', P .. 'i', id)
  call('SREM', P .. 'r', c)
  catalog.note(c)
  call('ZREM', P .. 'A', c)
  call('DEL', P .. c, P .. c .. 's', P .. c .. 'h', P .. c .. 'b', P .. c .. 'a', P .. c .. 'l', P .. c .. 'd')
end

-- Whether the store lists a crawl of this number: one that was erased must not be written to again.
function catalog.is_listed(c)
  return call('HEXISTS', P .. c, 'state') == 1
end

-- What is in force of a crawl: settings, state, the number of the last change, of the last one that all its groups have heard
-- of (F20), and which groups those are (F21): a hexadecimal digit for each four, the lowest bit first, or "all". The version
-- before opens a crawl everywhere, and notes as `told` which change it has told everywhere; so `told` is not written where
-- `groups` is: while both work on a store, the version before tells all groups of each change, and from then on all count.
-- A crawl without groups has told them all.
function catalog.change(c)
  local v = call('HMGET', P .. c, 'settings', 'state', 'order', 'told', 'heard', 'groups')
  local told = num(v[4]) or 0
  local everywhere = not v[6] or told > 0
  local order = num(v[3]) or 0
  local heard = everywhere and told or v[6] == '' and order or num(v[5]) or 0
  return { v[1], v[2], order, heard, everywhere and 'all' or v[6] }
end

-- Adds groups, from ARGV[at] on, to those that something of a crawl has come into, all of which have heard of this change where
-- these are the first ones; answers which they are now.
function catalog.enter(c, list, order, at)
  local digits = {}
  for i = 1, #list do
    digits[i] = tonumber(string.sub(list, i, i), 16)
  end
  for i = at, #ARGV do
    local group = num(ARGV[i])
    local place, bit = math.floor(group / 4) + 1, 2 ^ (group % 4)
    for n = #digits + 1, place do
      digits[n] = 0
    end
    if math.floor(digits[place] / bit) % 2 == 0 then
      digits[place] = digits[place] + bit
    end
  end
  for i, digit in ipairs(digits) do
    digits[i] = string.format('%x', digit)
  end
  local after = table.concat(digits)
  if list == '' then
    call('HSET', P .. c, 'groups', after, 'heard', text(order))
  elseif after ~= list then
    call('HSET', P .. c, 'groups', after)
  end
  if after ~= list then
    catalog.note(c)
  end
  return after
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
