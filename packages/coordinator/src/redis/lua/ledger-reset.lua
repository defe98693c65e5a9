-- F12: what a crawl has used of its own ceilings, counted anew. ARGV[1] crawl, [2] pages, [3] bytes.
if catalog.is_listed(ARGV[1]) then
  call('HSET', P .. ARGV[1], 'drawn', ARGV[2], 'bytes', ARGV[3])
end
return 'OK'
