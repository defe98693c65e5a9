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
-- The answer that said so may have been lost.
m.reopened = m.reopened or sent_again and m.stored.queued > 0
return { 'OK', changed and outlook(not sent_again) or '', table.concat(verdicts), m.bk }
