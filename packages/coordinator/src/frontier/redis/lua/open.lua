-- What a crawl may do in this group. ARGV[4] crawl, [5] state if it is new here, then field and value pairs;
-- an empty value means no limit. Answers whether something changed that decides when hosts are due.
local key = P .. ARGV[4] .. 'm'
local before = crawl(ARGV[4])
local again = false
for i = 6, #ARGV, 2 do
  local field, value = ARGV[i], ARGV[i + 1]
  if before then
    local old = call('HGET', key, field) or ''
    again = again or (old ~= value and (field == 'gap' or #field == 2))
  end
  if value == '' then
    call('HDEL', key, field)
  else
    call('HSET', key, field, value)
  end
end
if not before then
  call('HSET', key, 'state', ARGV[5])
end
return { 'OK', again and before and 1 or 0 }
