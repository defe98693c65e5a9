-- Puts a stream of rewritten records in the place of the records of a crawl. ARGV[4] crawl, [5] the last id that was read of
-- them. Answers 1, or 0 where others came in since, or somebody is writing them to a file: then nothing changes.
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end
local records, written = P .. m.c .. 'r', P .. m.c .. 'y'
if call('EXISTS', P .. m.c .. 'x') == 1 or stream_info(records, 'last-generated-id') ~= ARGV[5] then
  call('DEL', written)
  return { 'OK', '', 0 }
end
if call('EXISTS', written) == 1 then
  -- Whoever has read what is gone now is told by this id that it was removed, not lost (F18).
  local added, removed = stream_info(records, 'entries-added'), stream_info(records, 'max-deleted-entry-id')
  call('XSETID', written, ARGV[5], 'ENTRIESADDED', added, 'MAXDELETEDID', removed)
  call('RENAME', written, records)
else
  -- The nodes of an empty stream hold nothing.
  call('XTRIM', records, 'MAXLEN', '0')
end
return { 'OK', '', 1 }
