-- Gives a claim back, so that others need not wait for its end. ARGV[1] the duty, [2] who. A claim that another has by now stays.
-- Done again it changes nothing more.
local key = P .. 'K:' .. ARGV[1]
if call('GET', key) == ARGV[2] then
  call('DEL', key)
end
return 'OK'
