-- The hosts of a crawl whose pages are recorded over time: history/host-samples.ts. ARGV[1] crawl, [2] its nonce, [3] the
-- time in ms, or "" for the engine's, [4] ms of a slot; [5] the version that was seen, [6] the hosts as text: written if
-- it is still that version. Without them: answers OK, slot, version, hosts, 1 if the slot has its sample. Else OK or
-- STALE. Or GONE, each in a list.
local c = ARGV[1]
if not catalog.is_listed(c) or call('HGET', P .. c, 'nonce') ~= ARGV[2] then
  return { 'GONE' }
end
local key = P .. c .. 'b'
local version = call('HGET', key, 'v') or '0'
if not ARGV[5] then
  local slot = math.floor(catalog.time_ms(ARGV[3]) / num(ARGV[4]))
  return { 'OK', text(slot), version, call('HGET', key, 'hosts') or '', call('HEXISTS', key, text(slot)) }
end
if version ~= ARGV[5] then
  return { 'STALE' }
end
call('HSET', key, 'v', text(num(version) + 1), 'hosts', ARGV[6])
return { 'OK' }
