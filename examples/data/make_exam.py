# Makes exam.csv: 300 made-up students, hours of study, hours of sleep, and whether they passed.
# The chance to pass is sigmoid(0.9 (study - 5) + 0.6 (sleep - 7)).
import math
import os
import random

draw = random.Random(1902)
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "exam.csv"), "w") as out:
    out.write("study,sleep,passed\n")
    for _ in range(300):
        study, sleep = draw.uniform(0, 10), draw.gauss(7, 1.2)
        chance = 1 / (1 + math.exp(-(0.9 * (study - 5) + 0.6 * (sleep - 7))))
        out.write(f"{study:.2f},{sleep:.2f},{int(draw.random() < chance)}\n")
