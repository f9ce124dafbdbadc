"""How figures are taken: a model as a program, what it is asked, rounds of runs, latency, energy."""
