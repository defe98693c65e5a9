-- Documents that operators write, which only steps on the whole store touch. A kind is a hash, {wf}R:KIND, of id to
-- "version changedAtMs text", and a sorted set {wf}Ri:KIND of its ids in their order.
local registry = {}

function registry.now()
  local t = call('TIME')
  return math.floor(num(t[1]) * 1000 + num(t[2]) / 1000)
end

-- The number of a change or of an entry of the log: at least the time in ms, so that a restored store does not give out
-- numbers for the second time.
function registry.number()
  local number = math.max(num(call('HGET', P .. 'Rv', 'latest') or 0) + 1, registry.now())
  call('HSET', P .. 'Rv', 'latest', text(number))
  return text(number)
end

-- All processes are told of the latest changes, as many as the caller says.
function registry.changed(kind, id, kept)
  local number = registry.number()
  call('ZADD', P .. 'Rl', number, kind .. ' ' .. id)
  local over = call('ZCARD', P .. 'Rl') - num(kept)
  if over > 0 then
    local popped = call('ZPOPMIN', P .. 'Rl', over)
    call('HSET', P .. 'Rv', 'forgotten', text(num(popped[#popped])))
  end
  return number
end

-- What an operation answered, in case its answer was lost and it is sent again.
function registry.before(operation)
  return call('GET', P .. 'Ro:' .. operation)
end

function registry.done(operation, answer)
  call('SET', P .. 'Ro:' .. operation, answer, 'PX', 300000)
  return answer
end
