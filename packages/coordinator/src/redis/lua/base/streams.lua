-- Ids of streams, and which results are in files (F11).
local function stream_info(stream, name)
  local info = call('XINFO', 'STREAM', stream)
  for i = 1, #info, 2 do
    if info[i] == name then
      return info[i + 1]
    end
  end
end

local function id_parts(id)
  local ms, n = string.match(id, '^(%d+)-(%d+)$')
  return num(ms), num(n)
end

-- F11: results up to this one are in files.
local function kept_until(m)
  return string.match(call('LINDEX', P .. m.c .. 'f', '-1') or '0-0 0-0', '^%S+ (%S+)')
end

-- Whether somebody may have written this result to a file by now, as far as claims say.
local function is_claimed(m, id)
  if m.claim == nil then
    m.claim = string.match(call('GET', P .. m.c .. 'x') or '', '^%S+ (%S+)') or false
  end
  if not m.claim then
    return false
  end
  local ms, n = id_parts(id)
  local to_ms, to_n = id_parts(m.claim)
  return ms < to_ms or (ms == to_ms and n <= to_n)
end
