-- What a crawl may do, for the whole store. ARGV[1] crawl, [2] state. Answers OK or GONE.
if not catalog.is_listed(ARGV[1]) then
  return 'GONE'
end
call('HSET', P .. ARGV[1], 'state', ARGV[2])
call(ARGV[2] == 'finished' and 'SREM' or 'SADD', P .. 'r', ARGV[1])
return 'OK'
