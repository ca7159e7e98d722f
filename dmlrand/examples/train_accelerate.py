"""Train with accelerate; another number of processes may resume. Needs: pip install accelerate.

Run it with: accelerate launch --cpu --num_processes 2 train.py
"""

import os

import torch
from accelerate import Accelerator, DistributedDataParallelKwargs

from dmlrand import ShuffledSampler, Stream, make_state

SAMPLES, BATCH, EPOCHS = 101, 4, 3

# The argument keeps the order in which gradients are added, so that 3 or more processes resume bit for bit.
accelerator = Accelerator(cpu=True, kwargs_handlers=[DistributedDataParallelKwargs(find_unused_parameters=True)])
rank, ranks = accelerator.process_index, accelerator.num_processes
data = Stream(seed=1)
inputs = torch.from_dlpack(data.normal((SAMPLES, 4)))
targets = inputs.sum(1, keepdim=True) + 0.1 * torch.from_dlpack(data.normal((SAMPLES, 1)))
net = torch.nn.Sequential(torch.nn.Linear(4, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
for parameter in net.parameters():
    data.normal(out=parameter.detach(), stddev=0.3)
# accelerate must not prepare the loader, because the sampler already shares the samples among the processes.
sampler = ShuffledSampler(SAMPLES, make_state(key=2), rank, ranks, uneven="drop")
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(inputs, targets), BATCH, sampler=sampler)
model, optimizer = accelerator.prepare(net, torch.optim.Adam(net.parameters(), 0.01))
parts = {"model": net, "optimizer": optimizer, "sampler": sampler}
if os.path.exists("train_accelerate.pt"):
    saved = torch.load("train_accelerate.pt", weights_only=True)
    for name, part in parts.items():
        part.load_state_dict(saved[name])
accelerator.wait_for_everyone()  # no process saves before all have loaded

for epoch in range(sampler.epoch, EPOCHS):
    sampler.set_epoch(epoch)
    for batches, (x, y) in enumerate(loader, start=1):
        loss = torch.nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()
        if accelerator.is_main_process:
            saved = {name: part.state_dict() for name, part in parts.items()}
            saved["sampler"] = sampler.state_dict(consumed=BATCH * batches)
            torch.save(saved, "train_accelerate.pt.new")
            os.replace("train_accelerate.pt.new", "train_accelerate.pt")  # a kill leaves one of the two files
if accelerator.is_main_process:
    print(f"loss {torch.nn.functional.mse_loss(net(inputs), targets).item():.4f}")
accelerator.end_training()
