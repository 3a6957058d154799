# A bot for the arena in Ruby, without any gem.
#
# The arena writes lines to stdin. A line that begins with "?" asks something and lists the replies that can be
# played; the bot answers with one of them on one line. Lines it does not know are skipped. For debugging, use
# warn, or print a line that begins with "#": it is kept with the ply and shown in the replay.
#
#     arena check .      does it speak the protocol?
#     arena submit .     put it on the roster

$stdout.sync = true # every reply is sent at once

# What the arena has told about the match that is being played.
class Match
  attr_accessor :game, :options, :seat, :board, :state, :plies, :time_ms, :random

  def initialize(game, options)
    @game = game        # "gridlock", ...
    @options = options  # those that differ from the game's defaults: {"wrap" => "on"}
    @seat = "P1"        # yours
    @board = []         # rows from top to bottom; 'arena rules GAME' explains the characters
    @state = {}         # what the board does not show, such as barriers in hand
    @plies = []         # the plies you were told about: ["P2", "move", "8 9"], oldest first
    @time_ms = 1000     # what is left for this turn
    @random = Random.new(0)
  end
end

# Choose one of the replies to a prompt such as "move" or "lock".
def choose(match, _prompt, replies)
  # ------------------------------------------------------------------------------
  # YOUR IDEA HERE. Look at match.board, match.plies and match.time_ms, and return
  # the best of the replies. This one takes any.
  replies[match.random.rand(replies.size)]
  # ------------------------------------------------------------------------------
end

# Read "key=value key=value".
def pairs(text)
  text.split.select { |word| word.include?("=") }.to_h { |word| word.split("=", 2) }
end

match = Match.new("", {})
while (line = $stdin.gets)
  word, rest = line.chomp.split(" ", 2) # chomp takes CRLF, too
  rest ||= ""
  case word
  when "game" # a new match; many can follow each other in one process
    game, options = rest.split(" ", 2)
    match = Match.new(game, pairs(options || ""))
  when "seat" then match.seat = rest
  when "seed" then match.random = Random.new(rest.to_i)
  when "board" then match.board = rest.split("/")
  when "state" then match.state = pairs(rest)
  when "played" then match.plies << rest.split(" ", 3)
  when "time" then match.time_ms = rest.to_i
  when "error" then warn "refused: #{rest}" # the last reply; the prompt comes again
  when "?"
    prompt, *replies = rest.split(" | ")
    puts choose(match, prompt, replies)
  end
end
