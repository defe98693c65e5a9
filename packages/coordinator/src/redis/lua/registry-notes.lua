-- A page of the audit log. ARGV[1] the id behind which it begins, empty at first, [2] most entries, [3] oldest or newest:
-- which come first. Answers how many entries there were in all, how many are kept, then id and text in turn.
local answer = { num(call('HGET', P .. 'Rv', 'noted') or 0), call('XLEN', P .. 'Ra') }
local from = ARGV[1]
local entries
if ARGV[3] == 'newest' then
  entries = call('XREVRANGE', P .. 'Ra', from == '' and '+' or '(' .. from, '-', 'COUNT', ARGV[2])
else
  entries = call('XRANGE', P .. 'Ra', from == '' and '-' or '(' .. from, '+', 'COUNT', ARGV[2])
end
for _, entry in ipairs(entries) do
  answer[#answer + 1] = entry[1]
  answer[#answer + 1] = entry[2][2]
end
return answer
