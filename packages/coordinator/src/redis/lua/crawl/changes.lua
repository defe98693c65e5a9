-- What other processes have changed of crawls. ARGV[1] the number of the last change that the caller has heard of, or "", [2] the
-- time in ms, or "" for the engine's clock, [3] "all" to be told of all crawls that are not finished. Answers the number of the latest change; ALL or
-- SOME; the crawls: number, what is in force (no settings where it was erased), nonce, the hosts it has forgotten; numbers of those
-- that changed since ARGV[1]; and those that somebody asks for URLs of.
if call('HSETNX', P .. 'v', 'active', '1') == 1 then
  -- The store was made before this set was kept.
  for _, c in ipairs(call('HVALS', P .. 'i')) do
    if call('HGET', P .. c, 'state') ~= 'finished' then
      call('SADD', P .. 'r', c)
    end
  end
end
local v = call('HMGET', P .. 'v', 'noted', 'unnoted')
local noted, since = num(v[1]) or 0, num(ARGV[1])
local changed = since and call('ZRANGEBYSCORE', P .. 'n', '(' .. text(since), '+inf') or {}
-- A store that went back in time has lower numbers.
local some = since and since >= (num(v[2]) or 0) and since <= noted and ARGV[3] == ''
local found = {}
for _, c in ipairs(some and changed or call('SMEMBERS', P .. 'r')) do
  local w = call('HMGET', P .. c, 'nonce', 'forgotten')
  found[#found + 1] = { c, catalog.change(c), w[1] or '', w[2] or '' }
end
local asked = call('ZRANGEBYSCORE', P .. 'A', text(catalog.time_ms(ARGV[2])), '+inf')
return { text(noted), some and 'SOME' or 'ALL', found, changed, asked }
