-- New URLs become queued. ARGV[4] crawl, then for each: host, site, fingerprint, entry. Answers one letter each.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
local verdicts = {}
for i = 5, #ARGV, 4 do
  verdicts[#verdicts + 1] = offer(m, ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3])
end
-- Most links are known: then there is nothing to write and nothing to tell.
local changed = next(m.sums) ~= nil or sent_again
m.asked = sent_again
return { 'OK', changed and outlook() or '', table.concat(verdicts) }
