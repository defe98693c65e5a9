-- Puts a stream of rewritten records in the place of the records of a crawl. ARGV[4] crawl, [5] the last id that was read of
-- them, [6] the operation that has written the stream, [7] with how many records, [8] how often they had been rewritten when
-- it began, [9] links that are in none of them any more. Answers 1, or 0 where others came in since, another process has
-- rewritten them, or is writing them to a file: then nothing changes.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
local records, written = P .. m.c .. 'r', P .. m.c .. 'y:' .. ARGV[6]
local last, before = stream_info(records, 'last-generated-id'), call('HGET', P .. m.c .. 'c', 'rewritten') or '0'
if call('EXISTS', P .. m.c .. 'x') == 1 or last ~= ARGV[5] or before ~= ARGV[8] or call('XLEN', written) ~= num(ARGV[7]) then
  call('DEL', written)
  return { 'OK', '', 0 }
end
if ARGV[7] ~= '0' then
  -- Whoever has read what is gone now is told by this id that it was removed, not lost (F18).
  local added, removed = stream_info(records, 'entries-added'), stream_info(records, 'max-deleted-entry-id')
  call('XSETID', written, ARGV[5], 'ENTRIESADDED', added, 'MAXDELETEDID', removed)
  call('RENAME', written, records)
  call('PERSIST', records)
else
  -- The nodes of an empty stream hold nothing.
  call('XTRIM', records, 'MAXLEN', '0')
end
add(m, 'rewritten', 1)
add(m, 'edges', -num(ARGV[9]))
write_sums(m)
return { 'OK', '', 1 }
