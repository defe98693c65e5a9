-- ARGV[4] crawl, [5] state.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
set_state(m, ARGV[5])
write_sums(m)
return { 'OK', '' }
