-- Gives a crawl its number, or changes its settings. ARGV[1] id, [2] settings, [3] a nonce for a crawl that is new and
-- not in the catalog, [4] the nonce by which the caller knows it, or "". A new crawl is not finished before its seeds
-- were offered, which takes the mark `unseeded` away. [5] the version of the catalog's entry that the settings are from, or "".
-- Answers number, nonce, what is in force, the hosts it has forgotten, and 1 where its ledger lacks no group; number "" where
-- the crawl that the caller means has been deleted.
local nonce = call('HGET', P .. 'Ei', ARGV[1])
if ARGV[4] ~= '' and nonce ~= ARGV[4] then
  return { '' }
end
local c = call('HGET', P .. 'i', ARGV[1])
local known = c and call('HGET', P .. c, 'nonce')
if known and nonce and known ~= nonce then
  -- One that is deleted, but not erased yet.
  catalog.unlist(c, ARGV[1])
  c = nil
end
if not c then
  c = tostring(call('HINCRBY', P .. 'v', 'crawls', 1))
  call('HSET', P .. 'i', ARGV[1], c)
  call('HSET', P .. c, 'name', ARGV[1], 'state', 'running', 'unseeded', '1', 'groups', '')
  -- F12: nothing was leased yet.
  call('HSET', P .. c .. 'l', 'all', '1')
end
call('HSETNX', P .. c, 'nonce', nonce or ARGV[3])
-- Settings of an older entry of the catalog are too late.
local edit, last = num(ARGV[5]), num(call('HGET', P .. c, 'edit')) or 0
local late = edit and edit < last
if edit and not late then
  call('HSET', P .. c, 'edit', ARGV[5])
end
if not late and call('HGET', P .. c, 'settings') ~= ARGV[2] then
  call('HSET', P .. c, 'settings', ARGV[2])
  call('HINCRBY', P .. c, 'order', 1)
  catalog.note(c)
end
local ceiling, most = ceilings.of(c)
if not ceiling and not most then
  -- From now on nobody notes what it uses.
  call('DEL', P .. c .. 'l', P .. c .. 'd')
end
if call('HGET', P .. c, 'state') ~= 'finished' then
  call('SADD', P .. 'r', c)
end
return { c, call('HGET', P .. c, 'nonce'), catalog.change(c), call('HGET', P .. c, 'forgotten') or '', call('HEXISTS', P .. c .. 'l', 'all') }
