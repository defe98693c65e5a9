-- F11: a claimed range is in a file, safely on disk: the catalog says so and the results leave the store, in one step.
-- ARGV[4] crawl, [5] who, [6] and [7] the range, [8] records in it, [9] bytes of the file. Whoever comes first with
-- the whole range may keep it, whoever claimed it last: files of one range are the same.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
local files, words = P .. m.c .. 'f', table.concat(ARGV, ' ', 5, 9)
words = string.gsub(words, '^(%S+) (%S+ %S+)', '%2 %1')
local after, to = string.match(call('GET', P .. m.c .. 'x') or '', '^(%S+) (%S+)')
if after ~= ARGV[6] or to ~= ARGV[7] then
  -- The same again, because its answer was lost?
  return { call('LPOS', files, words, 'RANK', '-1', 'MAXLEN', '100') and 'OK' or 'STALE', '' }
end
call('RPUSH', files, words)
local ms, n = id_parts(to)
call('XTRIM', P .. m.c .. 'r', 'MINID', text(ms) .. '-' .. text(n + 1))
call('DEL', P .. m.c .. 'x')
return { 'OK', '' }
