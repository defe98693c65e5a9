-- F9: a group of this crawl that was closed has something again. ARGV[1] crawl. No finisher that looked before may end
-- it, and a finished crawl runs again. Answers the state it had, and what is in force now.
local key = P .. ARGV[1]
local state = call('HGET', key, 'state')
if state then
  call('HINCRBY', key, 'opened', 1)
end
if state == 'finished' then
  call('HSET', key, 'state', 'running')
  call('HINCRBY', key, 'order', 1)
  call('SADD', P .. 'r', ARGV[1])
  catalog.note(ARGV[1])
end
return state and { state, catalog.change(ARGV[1]) } or { '' }
