-- Crawls that are not finished: upkeep is for these alone, however many the store has kept. Answers for each its number,
-- what is in force, nonce, 1 if a process is asking for its URLs, and the hosts it has forgotten.
if call('HSETNX', P .. 'v', 'active', '1') == 1 then
  -- The store was made before this set was kept.
  for _, c in ipairs(call('HVALS', P .. 'i')) do
    if call('HGET', P .. c, 'state') ~= 'finished' then
      call('SADD', P .. 'r', c)
    end
  end
end
local found = {}
for _, c in ipairs(call('SMEMBERS', P .. 'r')) do
  local v = call('HMGET', P .. c, 'nonce', 'forgotten')
  local change = catalog.change(c)
  if change[1] then
    found[#found + 1] = { c, change, v[1] or '', call('EXISTS', P .. c .. 'a'), v[2] or '' }
  end
end
return found
