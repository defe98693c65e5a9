-- What is read and written together: calling a command costs a script more than the command itself, so texts of
-- many hosts are read by one MGET before they are needed, and everything is written at the end, a command for all.

-- Texts read ahead by key, false where there are none. Whoever needs one reads it once.
local fetched
-- Written by `write_texts`: keys to delete first, then keys and their new texts.
local gone, put
-- Held hosts, by when the lease or hold ends; false for those that are held no more.
local ends

local function forget_texts()
  fetched, gone, put, ends = {}, {}, {}, {}
end

-- As many as a command may be given at once.
local chunk = 500
local function in_chunks(command, key, list)
  for i = 1, #list, chunk do
    local last = math.min(i + chunk - 1, #list)
    if key then
      call(command, key, unpack(list, i, last))
    else
      call(command, unpack(list, i, last))
    end
  end
end

local function read_ahead(keys)
  for i = 1, #keys, chunk do
    local found = call('MGET', unpack(keys, i, math.min(i + chunk - 1, #keys)))
    for n = 1, #found do
      fetched[keys[i + n - 1]] = found[n]
    end
  end
end

local function read(key)
  local known = fetched[key]
  if known ~= nil then
    return known
  end
  return call('GET', key)
end

local function write(key, words)
  put[#put + 1] = key
  put[#put + 1] = words
end

local function write_ends()
  local kept, over = {}, {}
  for name, at in pairs(ends) do
    if at then
      kept[#kept + 1] = text(at)
      kept[#kept + 1] = name
    else
      over[#over + 1] = name
    end
  end
  in_chunks('ZADD', P .. 'x', kept)
  in_chunks('ZREM', P .. 'x', over)
  ends = {}
end

local function write_texts()
  in_chunks('DEL', nil, gone)
  in_chunks('MSET', nil, put)
  gone, put = {}, {}
  write_ends()
end

-- What cannot be read is set aside for a person to look at, counted under "#", and the crawl goes on without it: an
-- error would leave the transition half done, and the same text would stop every later one.
local most_aside = 100
local function set_aside(key, words)
  if call('HLEN', P .. 'n') <= most_aside then
    call('HSET', P .. 'n', key, words)
  end
  call('HINCRBY', P .. 'n', '#', '1')
end
