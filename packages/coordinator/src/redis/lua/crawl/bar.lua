-- Which hosts a crawl has forgotten. ARGV[1] crawl, [2] the list that the caller read, or "", [3] the list as it shall be.
-- Answers the list that stands: another one where somebody has changed it since. GONE where the crawl was deleted.
local key = P .. ARGV[1]
if not catalog.is_listed(ARGV[1]) then
  return { 'GONE' }
end
local list = call('HGET', key, 'forgotten') or ''
if list == ARGV[2] then
  call('HSET', key, 'forgotten', ARGV[3])
  catalog.note(ARGV[1])
  list = ARGV[3]
end
return { 'OK', list }
