-- F7: closes a group: from now on every transition answers CLOSED and changes nothing. KEYS[1] the group's state,
-- not its tag: it is there also while the engine moves the slot. ARGV[1] why, in a word. Off, last and hold stay.
local state = string.match(call('GET', KEYS[1]) or '0 0 0', '^(%S+ %S+ %S+)')
call('SET', KEYS[1], state .. ' ' .. ARGV[1])
return 'OK'
