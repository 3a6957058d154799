"""Search for bots: models of the games made for speed, and the algorithms that the bundled bots think with.

Everything here is pure but for the clock that a `Budget` reads. Bots import it beside `arena.sdk`.
"""
