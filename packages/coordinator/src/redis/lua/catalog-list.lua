-- A page of the catalog in the order of creation. ARGV[1] the place behind which it begins, [2] most entries, [3] most to
-- look at, [4] number of states, then states, then tags. Answers the place at which the next page begins, or "" for the
-- last page, then the entries.
local limit, most, states, tags = num(ARGV[2]), num(ARGV[3]), {}, {}
local indexes = {}
for i = 5, 4 + num(ARGV[4]) do
  states[ARGV[i]] = true
  indexes[#indexes + 1] = P .. 'Es:' .. ARGV[i]
end
for i = 5 + num(ARGV[4]), #ARGV do
  tags[#tags + 1] = '\n' .. ARGV[i] .. '\n'
end
if #tags > 0 then
  indexes = { P .. 'Et:' .. string.sub(tags[1], 2, -2) }
elseif #indexes == 0 then
  indexes = { P .. 'Eo' }
end

local function fits(wanted, own)
  if next(states) and not states[wanted] then
    return false
  end
  for _, tag in ipairs(tags) do
    if not string.find('\n' .. own .. '\n', tag, 1, true) then
      return false
    end
  end
  return true
end

local found = {}
for _, index in ipairs(indexes) do
  local some = call('ZRANGEBYSCORE', index, '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, most + 1)
  for i = 1, #some, 2 do
    found[#found + 1] = { some[i], num(some[i + 1]) }
  end
end
table.sort(found, function(a, b)
  return a[2] < b[2]
end)

local page, last, more = {}, 0, false
for i, each in ipairs(found) do
  if #page == limit or i > most then
    more = true
    break
  end
  last = each[2]
  local entry = catalog.read(each[1])
  if entry and fits(entry[5], entry[6]) then
    page[#page + 1] = entry
  end
end
return { more and text(last) or '', unpack(page) }
