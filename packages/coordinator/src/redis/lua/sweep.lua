-- One bounded step of upkeep. ARGV[4] entries it may move, then the crawls. Hosts that a full site shuts out are
-- indexed anew each time, which counts as a change (F22): so their group is swept again.
local room = num(ARGV[4])
local expired, moved_entries = expire_due(500)
flush_index()
local settled, more = 0, false

local function settle_queued(m, p, list, reason, limit)
  return settle_unfetched(m, p, call('LPOP', P .. m.c .. list .. p.name, limit) or {}, reason)
end

for i = 5, #ARGV do
  local m = crawl(ARGV[i])
  if m then
    m.asked = true
    if m.sites then
      -- Sites whose budget is spent: their hosts wait to be settled.
      for _, name in ipairs(call('SRANDMEMBER', P .. m.c .. 'w', 20)) do
        local names = call('SPOP', P .. m.c .. 'u:' .. name, at_once)
        for _, busy in ipairs(names) do
          pair(m, busy).index = true
        end
        if #names < at_once then
          call('SREM', P .. m.c .. 'w', name)
        end
      end
      for _, name in ipairs(call('SRANDMEMBER', P .. m.c .. 'b', 100)) do
        pair(m, name).index = true
      end
      flush_index()
    end
    -- Each look settles something or takes the host from `z`; nothing but the bound would end a look that does neither.
    local looks = 0
    while settled < room and looks < room do
      local name = call('SRANDMEMBER', P .. m.c .. 'z')
      if not name then
        break
      end
      looks = looks + 1
      local p, before = pair(m, name), settled
      local reason, was = must_settle(m, p), p.at
      if reason then
        for _, level in ipairs(levels_of(p)) do
          if settled < room then
            settled = settled + settle_queued(m, p, level, reason, room - settled)
          end
        end
        if settled == before and p.has then
          -- Its queue is lost: it has none.
          p.has = false
          add(m, 'hq', -1)
        end
      end
      -- Without a reason, a raised budget or a revived host: it goes back among the due ones.
      p.index = true
      flush_index()
      if was ~= 'z' and p.at ~= 'z' then
        call('SREM', P .. m.c .. 'z', name)
      end
    end
    if call('SCARD', P .. m.c .. 'z') > 0 or (m.sites and call('SCARD', P .. m.c .. 'w') > 0) then
      more = true
    end
  end
end
return { 'OK', outlook(), expired, moved_entries, settled, more and 1 or 0 }
