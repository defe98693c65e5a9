-- What a crawl may do in this group. ARGV[4] crawl, [5] state if it is new here, [6] its settings in words: gap,
-- ttl, longest fetch, back-off, dead after, then as far as they are not "-" four budgets and after how many deaths
-- a URL is poison. Answers whether something changed that decides when hosts are due: the gap or a budget.
local before = crawl(ARGV[4])
if not before and string.find(' ' .. (call('GET', P .. 'e') or '') .. ' ', ' ' .. ARGV[4] .. ' ', 1, true) then
  return { 'GONE' }
end
-- A group may have been finished by a finisher that died before the crawl was.
local kept = before and before.state ~= 'finished'
local state = kept and string.match(before.words, '^%S+') or ARGV[5]
call('SET', P .. ARGV[4] .. 'm', state .. ' ' .. ARGV[6])
local function weighty(words)
  return (string.gsub(words, '^(%S+) %S+ %S+ %S+ %S+', '%1'))
end
local again = before and weighty(string.match(before.words, ' (.*)$')) ~= weighty(ARGV[6])
return { 'OK', '', again and 1 or 0 }
