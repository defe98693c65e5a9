-- F11: where somebody has the results that left the store. ARGV[1] crawl, [2] who, [3] where.
call('HSET', P .. ARGV[1] .. 's', ARGV[2], ARGV[3])
return 'OK'
