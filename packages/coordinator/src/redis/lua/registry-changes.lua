-- What changed in the registry. ARGV[1] the number of the latest change that the caller knows. Answers the latest number,
-- whether all changes since are known, "KIND ID" of the documents that were written or removed, and the time here.
local v = call('HMGET', P .. 'Rv', 'latest', 'forgotten')
local latest, since = num(v[1] or 0), num(ARGV[1])
if since < num(v[2] or 0) or since > latest then
  return { text(latest), 0, {}, text(registry.now()) }
end
return { text(latest), 1, call('ZRANGEBYSCORE', P .. 'Rl', '(' .. ARGV[1], '+inf'), text(registry.now()) }
