-- F11: somebody means to write the oldest results of a crawl to a file. ARGV[4] crawl, [5] who, [6] for how long in
-- ms, [7] how many results there must be. Answers the range, behind one id and up to another, or "" for nothing. A
-- range that somebody claimed and never wrote is claimed again as it is, so that its file is the same file.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
local key, stream = P .. m.c .. 'x', P .. m.c .. 'r'
local after, to, who, till = string.match(call('GET', key) or '', '^(%S+) (%S+) (%S+) (%d+)$')
if after then
  if who ~= ARGV[5] and now < num(till) then
    return { 'BUSY' }
  end
else
  if call('XLEN', stream) < num(ARGV[7]) then
    return { 'OK', '', '', '' }
  end
  after, to = kept_until(m), stream_info(stream, 'last-generated-id')
end
call('SET', key, table.concat({ after, to, ARGV[5], text(now + num(ARGV[6])) }, ' '))
return { 'OK', '', after, to }
