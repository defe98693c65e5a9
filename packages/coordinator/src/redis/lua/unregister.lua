-- Takes a crawl out of the list (F13). ARGV[1] its id, [2] its nonce, or "" for any crawl of that id. Answers the numbers
-- under which keys are to be erased, each with the groups it has come into: a crawl that was taken out before, by a process that
-- was cut off, is noted until all of it is gone. Done again it changes nothing more.
local c = call('HGET', P .. 'i', ARGV[1])
if c and (ARGV[2] == '' or call('HGET', P .. c, 'nonce') == ARGV[2]) then
  catalog.unlist(c, ARGV[1])
end
local noted, found = call('HGETALL', P .. 't'), {}
for i = 1, #noted, 2 do
  -- Earlier versions noted the id alone.
  local id, nonce = string.match(noted[i + 1], '^([^\n]*)\n?(.*)$')
  if id == ARGV[1] and (ARGV[2] == '' or nonce == '' or nonce == ARGV[2]) then
    found[#found + 1] = noted[i]
    -- Earlier versions noted no groups.
    found[#found + 1] = call('HGET', P .. 'tg', noted[i]) or 'all'
  end
end
return found
