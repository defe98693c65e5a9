-- A library of functions, loaded once per server: everything here is local to it, and every transition starts
-- with `begin`, which forgets the one before. A transition changes copies of what is stored; `flush` writes
-- them back with everything that follows from them. Only keys of one group (KEYS[1], such as "{g12}") are
-- touched, so one transition is one atomic step of one shard. Key names: keys.ts.
-- ARGV[1] the caller's idea of this group's time in ms, with an r behind it when sent again; ARGV[2] what to do with
-- it: given (take it), free (the caller has none), told (nothing is decided by time here), sure or new (compare it, F5);
-- ARGV[3] for how many ms the caller grants nothing.
-- Looking up a global name costs a function more than most of what it does with it, and while a library is loaded
-- there are none: the first call takes them.
local function global_names()
  return string, math, table, ipairs, pairs, next, unpack, tonumber, setmetatable, type
end
local string, math, table, ipairs, pairs, next, unpack, tonumber, setmetatable, type
local KEYS, ARGV, P, call, pcall, num, INF
local function take_arguments(keys, args)
  if not string then
    string, math, table, ipairs, pairs, next, unpack, tonumber, setmetatable, type = global_names()
    call, pcall, num, INF = redis.call, redis.pcall, tonumber, math.huge
  end
  KEYS, ARGV, P = keys, args, keys[1]
end
local now, held_group
-- Sent before: the answer may have been lost, and then it has happened.
local sent_again
local crawls, hosts, pairs_of, site_sums

-- Whole milliseconds and counts only: a number given to the engine as it is costs a microsecond to print.
local function text(n)
  return string.format('%d', n)
end
