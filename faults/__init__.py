"""Faults: real processes killed, artefacts damaged, disks full, rights taken away, eight processes on one cache.

    python -m faults                          # a small run; make faults does 200 kills and 500 corruptions
    python -m faults --only kills:17 --seed 3 # one trial again

After each trial every answer equals the clean one, or is one clear line with exit status 2; nothing else was lost; and
the next run, undisturbed, gives the clean answer. Anything else is a defect, printed with the line that repeats it.

The package and the programs are copied into a folder of their own, as a wheel installs them, so that every place they
write to is in the trial's folder ("world.py"). Commands are processes of their own: forked from this one, which has
imported everything and run nothing, since so a command costs some ten milliseconds; some kills hit a cold one.
"""
