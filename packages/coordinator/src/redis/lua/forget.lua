-- A crawl is no more in this group (F13). ARGV[4] crawl, then hosts that are to forget it. A host that no crawl has
-- and that nobody asked anything for an hour goes too; another keeps its clocks, because politeness outlives crawls.
call('DEL', P .. ARGV[4] .. 'm')
call('SREM', P .. 'a', ARGV[4])
-- A process that was about to open it must not do so later; 100 of them are remembered.
local erased = call('GET', P .. 'e') or ''
if not string.find(' ' .. erased .. ' ', ' ' .. ARGV[4] .. ' ', 1, true) then
  local words = {}
  for c in string.gmatch(erased, '%d+') do
    words[#words + 1] = c
  end
  words[#words + 1] = ARGV[4]
  call('SET', P .. 'e', table.concat(words, ' ', math.max(1, #words - 99)))
end
for _, name in ipairs(call('HKEYS', P .. 'n')) do
  if string.find(name, '^' .. ARGV[4] .. '%D') then
    call('HDEL', P .. 'n', name)
  end
end
for i = 5, #ARGV do
  local h, left = host(ARGV[i]), {}
  for c in each_crawl(h) do
    if c ~= ARGV[4] then
      left[#left + 1] = c
    end
  end
  h.cr = table.concat(left, ' ')
  if h.cr == '' and not h.hu and math.max(h.nb, h.le + 3600000) <= now then
    call('DEL', P .. 'h:' .. h.name)
  else
    write_host(h)
  end
end
write_texts()
return { 'OK', '' }
