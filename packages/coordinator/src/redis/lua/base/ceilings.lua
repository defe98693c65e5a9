-- What crawls use of their own ceilings, which no group can know (F12). Two hashes of a crawl:
-- "l": dp, lp, le, by: pages done, pages leased, all that is leased, bytes, over all groups; gN: the same of group N as it
-- last said, behind the number of its change there; v: how often any of that changed; all: no group is missing.
-- "d": pages that are drawn and not leased yet: by operation how many, and until when that holds.
local ceilings = {}

-- The ceilings of pages and bytes that are in force.
function ceilings.of(c)
  local limits = string.match(call('HGET', P .. c, 'settings') or '', '"limits":(%b{})') or ''
  return num(string.match(limits, '"pages":(%d+)')), num(string.match(limits, '"bytes":(%d+)'))
end

-- Takes what groups say of themselves, from ARGV[at] on: number and words of each. The latest counts, whoever brings it, and
-- the sums change by the difference. `anew`: they were looked at now, and nothing was taken since.
function ceilings.take(c, at, anew)
  local names, fields = { 'v', 'dp', 'lp', 'le', 'by' }, {}
  for i = at, #ARGV, 2 do
    names[#names + 1] = 'g' .. ARGV[i]
  end
  if #names == 5 then
    return
  end
  local known = call('HMGET', P .. c .. 'l', unpack(names))
  for i = 6, #names do
    local was, is = {}, {}
    for word in string.gmatch(known[i] or '-1 0 0 0 0', '%S+') do
      was[#was + 1] = num(word)
    end
    for word in string.gmatch(ARGV[at + 2 * (i - 6) + 1], '%S+') do
      is[#is + 1] = num(word)
    end
    if anew or is[1] > was[1] then
      for k = 2, 5 do
        known[k] = (num(known[k]) or 0) + is[k] - was[k]
      end
      fields[#fields + 1] = names[i]
      fields[#fields + 1] = ARGV[at + 2 * (i - 6) + 1]
    end
  end
  if #fields > 0 then
    for k = 2, 5 do
      fields[#fields + 1] = names[k]
      fields[#fields + 1] = text(known[k])
    end
    call('HSET', P .. c .. 'l', 'v', text((num(known[1]) or 0) + 1), unpack(fields))
  end
end

-- Number of changes, pages done, pages leased, all that is leased, bytes.
function ceilings.used(c)
  local v = call('HMGET', P .. c .. 'l', 'v', 'dp', 'lp', 'le', 'by')
  return num(v[1]) or 0, num(v[2]) or 0, num(v[3]) or 0, num(v[4]) or 0, num(v[5]) or 0
end

-- How many pages are drawn. What ran out was drawn by a process that is dead, or gives back what it leased by it.
function ceilings.drawn(c, at)
  local draws, sum = call('HGETALL', P .. c .. 'd'), 0
  for i = 1, #draws, 2 do
    local pages, till = string.match(draws[i + 1], '^(%d+) (%d+)$')
    if num(till) <= at then
      call('HDEL', P .. c .. 'd', draws[i])
    else
      sum = sum + num(pages)
    end
  end
  return sum
end

-- Groups that have said what they use; `busy`: only those with leases, by what they said.
function ceilings.groups(c, busy)
  local all, found = call('HGETALL', P .. c .. 'l'), {}
  for i = 1, #all, 2 do
    local group = string.match(all[i], '^g(%d+)$')
    if group and not (busy and string.find(all[i + 1], '^%S+ %S+ %S+ 0 ')) then
      found[#found + 1] = group
    end
  end
  return found
end
