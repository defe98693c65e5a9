-- Somebody asks for URLs of these crawls. ARGV[1] for how many ms that holds, [2] the time in ms, or "" for the engine's clock, then
-- the crawls.
local at = catalog.time_ms(ARGV[2])
in_chunks('ZREM', P .. 'A', call('ZRANGEBYSCORE', P .. 'A', '-inf', '(' .. text(at)))
local till, words = text(at + num(ARGV[1])), {}
for i = 3, #ARGV do
  words[#words + 1] = till
  words[#words + 1] = ARGV[i]
end
in_chunks('ZADD', P .. 'A', words)
return 'OK'
