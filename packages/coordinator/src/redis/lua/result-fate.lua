-- F18: what became of the result that a reader saw last in this group. ARGV[4] crawl, [5] its id. Answers "" if it is
-- here or may have been removed, "file" if it must be in a file, "lost" if the store has gone back in time.
local stream, id = P .. ARGV[4] .. 'r', ARGV[5]
local m = crawl(ARGV[4])
if not m then
  return { 'GONE' }
end

local function is_up_to(other)
  local ms, n = id_parts(id)
  local other_ms, other_n = id_parts(other)
  return ms < other_ms or (ms == other_ms and n <= other_n)
end

-- Results that were removed leave no trace but the latest id among them.
local function may_be_removed()
  return call('EXISTS', stream) == 1 and is_up_to(stream_info(stream, 'max-deleted-entry-id'))
end

local in_files = is_up_to(kept_until(m))
-- What was removed after it went to a file is listed; the file need not have it any more.
local is_listed = in_files and call('SISMEMBER', P .. m.c .. 'd', id) == 1
if not in_files and #call('XRANGE', stream, id, id) > 0 or may_be_removed() or is_listed then
  return { 'OK', '', '' }
end
return { 'OK', '', in_files and 'file' or 'lost' }
