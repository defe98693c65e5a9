-- What is in force of a crawl, its nonce, the hosts it has forgotten, how often it was opened again, and 1 while seeds are missing.
-- ARGV[1] crawl. Of one that is not there the settings are missing.
local v = call('HMGET', P .. ARGV[1], 'nonce', 'forgotten', 'opened', 'unseeded')
return { catalog.change(ARGV[1]), v[1] or '', v[2] or '', v[3] or '0', v[4] and 1 or 0 }
