-- F7: opens a closed group. KEYS[1] the group's state.
local state = call('GET', KEYS[1])
if state then
  call('SET', KEYS[1], string.match(state, '^(%S+ %S+ %S+)'))
end
return 'OK'
