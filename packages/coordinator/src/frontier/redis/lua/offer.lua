-- New URLs become queued. ARGV[4] crawl, then the offers. Answers one letter each, and how many buckets there are.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
if sent_again then
  tell_time()
end
local verdicts = {}
offer_all(m, 5, verdicts)
-- Most links are known: then there is nothing to write and nothing to tell.
local changed = next(m.sums) ~= nil or sent_again
m.asked = sent_again
return { 'OK', changed and outlook(not sent_again) or '', table.concat(verdicts), m.bk }
