#!/usr/bin/env bash
# A bot for the arena in Bash (4 or later), without any other program.
#
# The arena writes lines to stdin. A line that begins with "?" asks something and lists the replies that can be
# played; the bot answers with one of them on one line. Lines it does not know are skipped. For debugging, write
# to stderr (>&2), or print a line that begins with "#": it is kept with the ply and shown in the replay.
#
#     arena check .      does it speak the protocol?
#     arena submit .     put it on the roster

# Choose one of the replies to the prompt $1, such as "move" or "lock"; they are in $2, $3, ...
choose() {
    local prompt=$1
    shift
    # ------------------------------------------------------------------------------
    # YOUR IDEA HERE. Look at "${board[@]}", "${plies[@]}" and $time_ms, and set
    # chosen to the best of the replies. This one takes any.
    local replies=("$@")
    chosen=${replies[RANDOM % $#]}
    # ------------------------------------------------------------------------------
}

# What the arena has told about the match that is being played.
new_match() {
    game=$1          # gridlock, ...
    options=$2       # those that differ from the game's defaults: "wrap=on"
    seat=P1          # yours
    board=()         # rows from top to bottom; 'arena rules GAME' explains the characters
    state=           # what the board does not show, such as barriers in hand: "key=value ..."
    plies=()         # the plies you were told about, oldest first: "P2 move 8 9"
    time_ms=1000     # what is left for this turn
}

new_match "" ""
while IFS= read -r line; do
    line=${line%$'\r'}
    word=${line%% *}
    rest=${line#"$word"}
    rest=${rest# }
    case $word in
        game)   # a new match; many can follow each other in one process
            first=${rest%% *}
            options=${rest#"$first"}
            new_match "$first" "${options# }" ;;
        seat)   seat=$rest ;;
        seed)   RANDOM=$((10#0${rest:0:9})) ;;
        board)  IFS=/ read -r -a board <<<"$rest" ;;
        state)  state=$rest ;;
        played) plies+=("$rest") ;;
        time)   time_ms=${rest%% *} ;;
        error)  echo "refused: $rest" >&2 ;;    # the last reply; the prompt comes again
        "?")    # "move | 0 1 | 1 0": the prompt, then the replies
            parts=()
            while [[ $rest == *" | "* ]]; do
                parts+=("${rest%%" | "*}")
                rest=${rest#*" | "}
            done
            choose "${parts[@]}" "$rest"
            printf '%s\n' "$chosen" ;;
    esac
done
