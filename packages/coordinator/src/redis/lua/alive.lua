-- Somebody asks for URLs of these crawls. ARGV[1] for how many seconds that holds, then the crawls.
for i = 2, #ARGV do
  if catalog.is_listed(ARGV[i]) then
    call('SET', P .. ARGV[i] .. 'a', '1', 'EX', ARGV[1])
  end
end
return 'OK'
