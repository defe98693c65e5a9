-- What a crawl may do in this group. ARGV[4] crawl, [5] state, [6] its settings in words: gap, ttl, longest fetch, back-off,
-- dead after, then as far as they are not "-" four budgets and after how many deaths a URL is poison; last the number of this
-- change (F20). Answers whether something changed that decides when hosts are due, the gap or a budget, and the number of the
-- last change that the group has heard of; and when it next has something to do for the crawl.
local before = crawl(ARGV[4])
if not before and string.find(' ' .. (call('GET', P .. 'e') or '') .. ' ', ' ' .. ARGV[4] .. ' ', 1, true) then
  return { 'GONE' }
end
local order = num(string.match(ARGV[6], '%d+$'))
if before and order < before.order then
  return { 'OK', '', 0, text(before.order) }
end
-- Where the state is the same, so is the mark behind it (F9). A group may have been finished by a finisher that died before
-- the crawl was.
local kept = before and before.state ~= 'finished' and (order == before.order or before.state == ARGV[5])
local state = kept and string.match(before.words, '^%S+') or ARGV[5]
if before and before.closed and not kept then
  add(before, 'opened', 1)
  write_sums(before)
end
local words = state .. ' ' .. ARGV[6]
call('SET', P .. ARGV[4] .. 'm', words)
if not before then
  call('SADD', P .. 'a', ARGV[4])
end
local function weighty(words)
  return (string.gsub(words, '^%S+ (%S+) %S+ %S+ %S+ %S+', '%1'))
end
local again = before and weighty(before.plain) ~= weighty(string.match(words, '^(.*) %d+$'))
crawls[ARGV[4]] = setmetatable({ c = ARGV[4], sums = {}, stored = {}, asked = true }, read_settings(words))
return { 'OK', outlook(), again and 1 or 0, text(order) }
