-- Ends leases whose workers are dead. ARGV[4] the worker, or "" for all; [5] how many holds to pass over.
-- 200 at once; answers how many leases ended and where to go on, or "" at the end.
local from, ended, kept = num(ARGV[5]), 0, 0
local names = call('ZRANGE', P .. 'x', from, from + 199)
for _, name in ipairs(names) do
  local h = host(name)
  if ARGV[4] ~= '' and h.hw ~= ARGV[4] then
    kept = kept + 1
  else
    if not h.ho then
      ended = ended + 1
    end
    -- Nobody can be talking to a host any more whose hold is over by itself.
    if now >= h.hu then
      outlive(h)
    else
      local m = crawl(h.hc)
      delay(h, now + (m and m.gap or 0), 'gap')
      if not h.ho then
        charge_in_hand(h)
      end
      give_back(h)
      drop_hold(h)
    end
  end
end
return { 'OK', outlook(), ended, #names == 200 and text(from + kept) or '' }
