-- Where somebody has something of a crawl. ARGV[1] crawl, [2] who, [3] where, [4] of what: s the results that left the
-- store (F11), w the folder of a process that works on it, and what was erased there. Answers OK or GONE.
if not catalog.is_listed(ARGV[1]) then
  return 'GONE'
end
call('HSET', P .. ARGV[1] .. ARGV[4], ARGV[2], ARGV[3])
return 'OK'
