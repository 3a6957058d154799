-- A bot for the arena in Lua (5.3 or later).
--
-- The arena writes lines to stdin. A line that begins with "?" asks something and lists the replies that can be
-- played; the bot answers with one of them on one line. Lines it does not know are skipped. For debugging, use
-- io.stderr:write, or print a line that begins with "#": it is kept with the ply and shown in the replay.
--
--     arena check .      does it speak the protocol?
--     arena submit .     put it on the roster

io.stdout:setvbuf("line") -- every reply is sent at once

-- Choose one of the replies to a prompt such as "move" or "lock".
local function choose(match, prompt, replies)
  -- ------------------------------------------------------------------------------
  -- YOUR IDEA HERE. Look at match.board, match.plies and match.time_ms, and return
  -- the best of the replies. This one takes any.
  return replies[math.random(#replies)]
  -- ------------------------------------------------------------------------------
end

-- What the arena has told about the match that is being played.
local function new_match(game, options)
  return {
    game = game,       -- "gridlock", ...
    options = options, -- those that differ from the game's defaults: { wrap = "on" }
    seat = "P1",       -- yours
    board = {},        -- rows from top to bottom; 'arena rules GAME' explains the characters
    state = {},        -- what the board does not show, such as barriers in hand
    plies = {},        -- the plies you were told about: { seat =, prompt =, reply = }, oldest first
    time_ms = 1000,    -- what is left for this turn
  }
end

local function split(text, between)
  local parts, from = {}, 1
  while true do
    local at, last = text:find(between, from, true)
    if not at then break end
    parts[#parts + 1] = text:sub(from, at - 1)
    from = last + 1
  end
  parts[#parts + 1] = text:sub(from)
  return parts
end

-- Read "key=value key=value".
local function pairs_of(text)
  local found = {}
  for key, value in text:gmatch("([^ =]+)=(%S*)") do found[key] = value end
  return found
end

local match = new_match("", {})
for line in io.lines() do
  line = line:gsub("\r$", "")
  local word, rest = line:match("^(%S*) ?(.*)$")
  if word == "game" then -- a new match; many can follow each other in one process
    match = new_match(rest:match("^%S*"), pairs_of(rest))
  elseif word == "seat" then match.seat = rest
  elseif word == "seed" then math.randomseed(tonumber(rest:sub(-9)))
  elseif word == "board" then match.board = split(rest, "/")
  elseif word == "state" then match.state = pairs_of(rest)
  elseif word == "played" then
    local seat, prompt, reply = rest:match("^(%S+) (%S+) (.*)$")
    table.insert(match.plies, { seat = seat, prompt = prompt, reply = reply })
  elseif word == "time" then match.time_ms = tonumber(rest:match("^%d+"))
  elseif word == "error" then io.stderr:write("refused: ", rest, "\n") -- the prompt comes again
  elseif word == "?" then
    local replies = split(rest, " | ")
    local prompt = table.remove(replies, 1)
    print(choose(match, prompt, replies))
  end
end
