-- A page of the audit log. ARGV[1] the id behind which it begins, [2] most entries. Answers how many entries there were
-- in all, how many are kept, then id and text in turn.
local answer = { num(call('HGET', P .. 'Rv', 'noted') or 0), call('XLEN', P .. 'Ra') }
for _, entry in ipairs(call('XRANGE', P .. 'Ra', '(' .. ARGV[1], '+', 'COUNT', ARGV[2])) do
  answer[#answer + 1] = entry[1]
  answer[#answer + 1] = entry[2][2]
end
return answer
