#!/usr/bin/env perl
# A bot for the arena in Perl, without any module.
#
# The arena writes lines to stdin. A line that begins with "?" asks something and lists the replies that can be
# played; the bot answers with one of them on one line. Lines it does not know are skipped. For debugging, print
# to STDERR, or print a line that begins with "#": it is kept with the ply and shown in the replay.
#
#     arena check .      does it speak the protocol?
#     arena submit .     put it on the roster

use strict;
use warnings;

$| = 1;    # every reply is sent at once

# Choose one of the replies to a prompt such as "move" or "lock".
sub choose {
    my ($match, $prompt, @replies) = @_;
    # ------------------------------------------------------------------------------
    # YOUR IDEA HERE. Look at $match->{board}, {plies} and {time_ms}, and return the
    # best of the replies. This one takes any.
    return $replies[ int rand @replies ];
    # ------------------------------------------------------------------------------
}

# What the arena has told about the match that is being played.
sub new_match {
    my ($game, %options) = @_;
    return {
        game    => $game,         # "gridlock", ...
        options => \%options,     # those that differ from the game's defaults: wrap => "on"
        seat    => 'P1',          # yours
        board   => [],            # rows from top to bottom; 'arena rules GAME' explains the characters
        state   => {},            # what the board does not show, such as barriers in hand
        plies   => [],            # the plies you were told about: ["P2", "move", "8 9"], oldest first
        time_ms => 1000,          # what is left for this turn
    };
}

# Read "key=value key=value".
sub pairs { return map { split /=/, $_, 2 } grep { /=/ } split / /, shift }

my $match = new_match('');
while (my $line = <STDIN>) {
    $line =~ s/\r?\n\z//;
    my ($word, $rest) = split / /, $line, 2;
    next unless defined $word;
    $rest //= '';
    if ($word eq 'game') {    # a new match; many can follow each other in one process
        my ($game, $options) = split / /, $rest, 2;
        $match = new_match($game, pairs($options // ''));
    }
    elsif ($word eq 'seat')   { $match->{seat}    = $rest }
    elsif ($word eq 'seed')   { srand($rest % 2**31) }
    elsif ($word eq 'board')  { $match->{board}   = [ split m{/}, $rest ] }
    elsif ($word eq 'state')  { $match->{state}   = { pairs($rest) } }
    elsif ($word eq 'played') { push @{ $match->{plies} }, [ split / /, $rest, 3 ] }
    elsif ($word eq 'time')   { ($match->{time_ms}) = split / /, $rest }
    elsif ($word eq 'error')  { print STDERR "refused: $rest\n" }    # the prompt comes again
    elsif ($word eq '?') {
        my ($prompt, @replies) = split / \| /, $rest;
        print choose($match, $prompt, @replies), "\n";
    }
}
