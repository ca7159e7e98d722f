"""Train with accelerate; another number of processes may resume. Needs: pip install accelerate.

Run it with: accelerate launch --cpu --num_processes 2 train.py
"""

import os
import shutil

import torch
from accelerate import Accelerator, DistributedDataParallelKwargs

from dmlrand import ShuffledSampler, Stream, make_state

SAMPLES, BATCH, EPOCHS = 101, 4, 3


class Progress:
    """Lets accelerate save the sampler after the batches that were used, not those that were loaded in advance."""

    def __init__(self, sampler):
        self.sampler, self.batches = sampler, 0

    def state_dict(self):
        return self.sampler.state_dict(consumed=BATCH * self.batches)

    def load_state_dict(self, saved):
        self.sampler.load_state_dict(saved)


def main():
    # The argument keeps the order in which gradients are added, so that 3 or more processes resume bit for bit.
    accelerator = Accelerator(cpu=True, kwargs_handlers=[DistributedDataParallelKwargs(find_unused_parameters=True)])
    data = Stream(seed=1)
    inputs = torch.from_dlpack(data.normal((SAMPLES, 4)))
    targets = inputs.sum(1, keepdim=True) + 0.1 * torch.from_dlpack(data.normal((SAMPLES, 1)))
    net = torch.nn.Sequential(torch.nn.Linear(4, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
    for parameter in net.parameters():
        data.normal(out=parameter.detach(), stddev=0.3)
    sampler = ShuffledSampler(
        SAMPLES, make_state(key=2), accelerator.process_index, accelerator.num_processes, uneven="drop"
    )
    progress = Progress(sampler)
    # accelerate must not prepare the loader, because the sampler already shares the samples among the processes.
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(inputs, targets), BATCH, sampler=sampler)
    model, optimizer = accelerator.prepare(net, torch.optim.Adam(net.parameters(), 0.01))
    accelerator.register_for_checkpointing(progress)

    done = [int(name) for name in os.listdir("accelerate") if name.isdigit()] if os.path.isdir("accelerate") else []
    steps = max(done, default=0)
    if done:
        accelerator.load_state(f"accelerate/{steps}")
    accelerator.wait_for_everyone()  # no process saves before all have loaded

    for epoch in range(sampler.epoch, EPOCHS):
        sampler.set_epoch(epoch)
        for progress.batches, (x, y) in enumerate(loader, start=1):
            loss = torch.nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            accelerator.backward(loss)
            optimizer.step()
            steps += 1
            accelerator.save_state(f"accelerate/{steps}.new")
            accelerator.wait_for_everyone()
            if accelerator.is_main_process:
                os.rename(f"accelerate/{steps}.new", f"accelerate/{steps}")  # a kill leaves a complete folder
                shutil.rmtree(f"accelerate/{steps - 1}", ignore_errors=True)
    if accelerator.is_main_process:
        print(f"loss {torch.nn.functional.mse_loss(net(inputs), targets).item():.4f}")
    accelerator.end_training()


if __name__ == "__main__":
    main()
