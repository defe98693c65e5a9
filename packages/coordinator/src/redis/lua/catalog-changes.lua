-- What changed in the catalog. ARGV[1] the generation that the caller knows. Answers the generation now, whether all
-- changes since are known, and the entries that were created or changed.
local v = call('HMGET', P .. 'Ev', 'generation', 'forgotten')
local latest, since = num(v[1] or 0), num(ARGV[1])
-- A store that went back in time has other changes under the same numbers.
if since < num(v[2] or 0) or since > latest then
  return { latest, 0, {} }
end
local changed = {}
for _, nonce in ipairs(call('ZRANGEBYSCORE', P .. 'El', '(' .. ARGV[1], '+inf')) do
  changed[#changed + 1] = catalog.read(nonce) or nil
end
return { latest, 1, changed }
