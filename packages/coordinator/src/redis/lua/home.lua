-- F11: where somebody has the results that left the store. ARGV[1] crawl, [2] who, [3] where. Answers OK or GONE.
if not catalog.is_listed(ARGV[1]) then
  return 'GONE'
end
call('HSET', P .. ARGV[1] .. 's', ARGV[2], ARGV[3])
return 'OK'
