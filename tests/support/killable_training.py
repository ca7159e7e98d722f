"""Runs an example of a training, unchanged, as a program that a test can watch and kill in the middle of a step.

python killable_training.py PROGRAM [START METHOD OF WORKERS]. Each step of the optimizer adds a byte to the file
`steps.RANK`, and then takes 20 ms more. Each batch that a DataLoader gives is added to the file `batches.RANK`.
"""

import multiprocessing
import os
import pickle
import runpy
import sys
import time


def watch_training():
    import torch
    from torch.optim.optimizer import register_optimizer_step_post_hook

    rank = os.environ.get("RANK", "0")

    def log(name, entry):
        with open(f"{name}.{rank}", "ab") as file:
            file.write(entry)

    def log_step(*_):
        log("steps", b"s")
        time.sleep(0.02)

    load = torch.utils.data.DataLoader.__iter__

    def logged_batches(loader):
        for x, y in load(loader):
            log("batches", pickle.dumps((loader.sampler.epoch, x.tolist())))
            yield x, y

    register_optimizer_step_post_hook(log_step)
    torch.utils.data.DataLoader.__iter__ = logged_batches


if __name__ == "__main__":
    program, *method = sys.argv[1:]
    watch_training()
    if method:
        multiprocessing.set_start_method(*method)
    runpy.run_path(program, run_name="__main__")
