-- Appends to the audit log. ARGV[1] the operation, [2] text, [3] entries to keep. The id of an entry is its number and
-- how many there were before it, itself included. Done again it changes nothing more.
if not registry.before(ARGV[1]) then
  local id = registry.number() .. '-' .. call('HINCRBY', P .. 'Rv', 'noted', 1)
  call('XADD', P .. 'Ra', 'MAXLEN', '=', ARGV[3], id, 't', ARGV[2])
  registry.done(ARGV[1], id)
end
return 'OK'
