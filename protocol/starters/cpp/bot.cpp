// A bot for the arena in C++17.
//
// The arena writes lines to stdin. A line that begins with "?" asks something and lists the replies that can be
// played; the bot answers with one of them on one line. Lines it does not know are skipped. For debugging, write
// to std::cerr, or print a line that begins with "#": it is kept with the ply and shown in the replay.
//
//     arena check .      does it speak the protocol?
//     arena submit .     put it on the roster

#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using Pairs = std::map<std::string, std::string>;

struct Ply {
    std::string seat, prompt, reply;
};

// What the arena has told about the match that is being played.
struct Match {
    std::string game;                // "gridlock", ...
    Pairs options;                   // those that differ from the game's defaults: wrap -> on
    std::string seat = "P1";         // yours
    std::vector<std::string> board;  // rows from top to bottom; 'arena rules GAME' explains the characters
    Pairs state;                     // what the board does not show, such as barriers in hand
    std::vector<Ply> plies;          // the plies you were told about, oldest first
    int time_ms = 1000;              // what is left for this turn
    std::mt19937_64 random;
};

// Choose one of the replies to a prompt such as "move" or "lock".
std::string choose(Match& match, const std::string& prompt, const std::vector<std::string>& replies) {
    // ------------------------------------------------------------------------------
    // YOUR IDEA HERE. Look at match.board, match.plies and match.time_ms, and return
    // the best of the replies. This one takes any.
    (void)prompt;
    return replies[match.random() % replies.size()];
    // ------------------------------------------------------------------------------
}

std::vector<std::string> split(const std::string& text, const std::string& between) {
    std::vector<std::string> parts;
    size_t from = 0, at;
    while ((at = text.find(between, from)) != std::string::npos) {
        parts.push_back(text.substr(from, at - from));
        from = at + between.size();
    }
    parts.push_back(text.substr(from));
    return parts;
}

Pairs pairs(std::istream& words) {  // "key=value key=value"
    Pairs found;
    for (std::string word; words >> word;)
        if (auto at = word.find('='); at != std::string::npos) found[word.substr(0, at)] = word.substr(at + 1);
    return found;
}

int main() {
    Match match;
    for (std::string line; std::getline(std::cin, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        const auto blank = line.find(' ');
        const std::string word = line.substr(0, blank);
        const std::string rest = blank == std::string::npos ? "" : line.substr(blank + 1);
        std::istringstream words(rest);
        if (word == "game") {  // a new match; many can follow each other in one process
            match = Match();
            words >> match.game;
            match.options = pairs(words);
        } else if (word == "seat") {
            match.seat = rest;
        } else if (word == "seed") {
            match.random.seed(std::strtoull(rest.c_str(), nullptr, 10));
        } else if (word == "board") {
            match.board = split(rest, "/");
        } else if (word == "state") {
            match.state = pairs(words);
        } else if (word == "played") {
            Ply ply;
            words >> ply.seat >> ply.prompt >> std::ws;
            std::getline(words, ply.reply);
            match.plies.push_back(ply);
        } else if (word == "time") {
            words >> match.time_ms;
        } else if (word == "error") {  // the last reply was refused; the prompt comes again
            std::cerr << "refused: " << rest << '\n';
        } else if (word == "?") {
            auto replies = split(rest, " | ");
            const std::string prompt = replies.front();
            replies.erase(replies.begin());
            if (!replies.empty()) std::cout << choose(match, prompt, replies) << std::endl;  // endl flushes
        }
    }
}
