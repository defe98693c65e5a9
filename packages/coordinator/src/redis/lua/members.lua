-- Coordinators that take part. ARGV[1] the number of the change the caller knows of, [2] register, renew, leave or
-- list, [3] the member, [4] its life, [5] how long it lasts in ms, [6] what it says of itself, or "" for no news.
-- Answers the number of the latest change, all members if some came or went since, and what those say that changed
-- since: id, life, text, ... Done again it changes nothing more.
local since, how, id, life, ttl, news = num(ARGV[1]), ARGV[2], ARGV[3], ARGV[4], num(ARGV[5]), ARGV[6]
local ends, lives, texts, changes = P .. 'M', P .. 'Ml', P .. 'Mt', P .. 'Mc'
local t = call('TIME')
local now = math.floor(num(t[1]) * 1000 + num(t[2]) / 1000)

-- Of the members as such, not only of what one says.
local function changed()
  local number = call('HINCRBY', P .. 'Mn', 'latest', 1)
  call('HSET', P .. 'Mn', 'who', number)
  return number
end

local function remove(who)
  call('ZREM', ends, who)
  call('ZREM', changes, who)
  call('HDEL', lives, who)
  call('HDEL', texts, who)
end

local over = call('ZRANGEBYSCORE', ends, '-inf', now, 'LIMIT', 0, 200)
for _, who in ipairs(over) do
  remove(who)
end
if #over > 0 then
  changed()
end

local here = call('HGET', lives, id)
if how == 'renew' and not here then
  return { 'GONE' }
end
if how == 'renew' and here ~= life then
  return { 'REPLACED' }
end
if how == 'leave' and here == life then
  remove(id)
  changed()
end
if how == 'register' or how == 'renew' then
  call('ZADD', ends, string.format('%d', now + ttl), id)
  if here ~= life then
    call('HSET', lives, id, life)
    changed()
  end
  if news ~= '' and (here ~= life or news ~= call('HGET', texts, id)) then
    call('HSET', texts, id, news)
    call('ZADD', changes, call('HINCRBY', P .. 'Mn', 'latest', 1), id)
  end
end

local numbers = call('HMGET', P .. 'Mn', 'latest', 'who')
local latest, who = num(numbers[1] or 0), num(numbers[2] or 0)
-- A failover may have lost the latest changes: then all of it is told.
if since > latest then
  since = 0
end
local told = {}
for _, other in ipairs(call('ZRANGEBYSCORE', changes, '(' .. since, '+inf')) do
  told[#told + 1] = other
  told[#told + 1] = call('HGET', lives, other)
  told[#told + 1] = call('HGET', texts, other)
end
return { 'OK', latest, (since == 0 or who > since) and call('ZRANGE', ends, 0, -1) or '', told }
