-- Somebody asks for URLs of these crawls. ARGV[1] for how many seconds that holds, then the crawls.
for i = 2, #ARGV do
  call('SET', P .. ARGV[i] .. 'a', '1', 'EX', ARGV[1])
end
return 'OK'
