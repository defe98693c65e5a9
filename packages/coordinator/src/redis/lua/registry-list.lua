-- A page of documents in the order of their ids. ARGV[1] kind, [2] the id behind which it begins, or "", [3] most
-- documents, [4] most bytes. Answers whether there are more, then id and document in turn.
local docs, most, bytes = P .. 'R:' .. ARGV[1], num(ARGV[3]), num(ARGV[4])
local from = ARGV[2] == '' and '-' or '(' .. ARGV[2]
local page = { 0 }
for i, id in ipairs(call('ZRANGEBYLEX', P .. 'Ri:' .. ARGV[1], from, '+', 'LIMIT', 0, most + 1)) do
  local doc = call('HGET', docs, id)
  bytes = bytes - #doc
  if i > most or (i > 1 and bytes < 0) then
    page[1] = 1
    break
  end
  page[#page + 1] = id
  page[#page + 1] = doc
end
return page
