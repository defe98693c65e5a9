-- Claims a duty of the whole store for a while, by the engine's clock. ARGV[1] the duty, [2] who, [3] for how many ms. The holder
-- renews its claim. Answers 1, or 0 where another has the claim. Done again it changes nothing more.
local key = P .. 'K:' .. ARGV[1]
local holder = call('GET', key)
if holder and holder ~= ARGV[2] then
  return 0
end
call('SET', key, ARGV[2], 'PX', ARGV[3])
return 1
