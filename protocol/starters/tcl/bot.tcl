# A bot for the arena in Tcl (8.6 or later).
#
# The arena writes lines to stdin. A line that begins with "?" asks something and lists the replies that can be
# played; the bot answers with one of them on one line. Lines it does not know are skipped. For debugging, write
# to stderr, or print a line that begins with "#": it is kept with the ply and shown in the replay.
#
#     arena check .      does it speak the protocol?
#     arena submit .     put it on the roster

fconfigure stdout -buffering line -translation lf   ;# every reply is sent at once

# Choose one of the replies to a prompt such as "move" or "lock".
proc choose {prompt replies} {
    global match
    # ------------------------------------------------------------------------------
    # YOUR IDEA HERE. Look at $match(board), $match(plies) and $match(time_ms), and
    # return the best of the replies. This one takes any.
    return [lindex $replies [expr {int(rand() * [llength $replies])}]]
    # ------------------------------------------------------------------------------
}

# What the arena has told about the match that is being played.
proc new_match {game options} {
    global match
    array set match {
        seat    P1
        board   {}
        state   {}
        plies   {}
        time_ms 1000
    }
    set match(game) $game          ;# gridlock, ...
    set match(options) $options    ;# a dictionary of those that differ from the game's defaults
    # seat is yours; board is a list of rows from top to bottom ('arena rules GAME' explains the characters);
    # state is a dictionary of what the board does not show, such as barriers in hand; plies are those you
    # were told about, oldest first, each {seat prompt reply}; time_ms is what is left for this turn.
}

# Read "key=value key=value" as a dictionary.
proc pairs {text} {
    set found {}
    foreach word [split $text " "] {
        if {[regexp {^([^=]+)=(.*)$} $word -> key value]} {dict set found $key $value}
    }
    return $found
}

new_match "" {}
while {[gets stdin line] >= 0} {
    regexp {^(\S*) ?(.*)$} [string trimright $line] -> word rest
    switch -exact -- $word {
        game {
            # a new match; many can follow each other in one process
            new_match [lindex [split $rest " "] 0] [pairs $rest]
        }
        seat   {set match(seat) $rest}
        seed   {expr {srand([scan [string range $rest end-8 end] %d] + 1)}}
        board  {set match(board) [split $rest /]}
        state  {set match(state) [pairs $rest]}
        played {
            regexp {^(\S+) (\S+) (.*)$} $rest -> seat prompt reply
            lappend match(plies) [list $seat $prompt $reply]
        }
        time   {set match(time_ms) [lindex [split $rest " "] 0]}
        error  {puts stderr "refused: $rest"}
        ? {
            # "move | 0 1 | 1 0": the prompt, then the replies
            set replies [split [string map {" | " "\n"} $rest] "\n"]
            puts [choose [lindex $replies 0] [lrange $replies 1 end]]
        }
    }
}
