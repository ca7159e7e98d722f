"""Train in one process; a stopped or killed run resumes exactly. Needs: pip install torch."""

import os

import torch

from dmlrand import ShuffledSampler, Stream, make_state

SAMPLES, BATCH, EPOCHS = 100, 8, 5

data = Stream(seed=1)  # a made-up data set
inputs = torch.from_dlpack(data.normal((SAMPLES, 4)))
targets = inputs.sum(1, keepdim=True) + 0.1 * torch.from_dlpack(data.normal((SAMPLES, 1)))
dataset = torch.utils.data.TensorDataset(inputs, targets)

noise = Stream(seed=42)  # all random numbers of the training, except the order of the samples
model = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
for parameter in model.parameters():
    noise.normal(out=parameter.detach(), stddev=0.3)  # written into the parameter's own memory

optimizer = torch.optim.Adam(model.parameters(), 0.01)
sampler = ShuffledSampler(SAMPLES, make_state(key=2))  # a new order in each epoch
parts = {"noise": noise, "model": model, "optimizer": optimizer, "sampler": sampler}
if os.path.exists("train.pt"):
    saved = torch.load("train.pt", weights_only=True)
    for name, part in parts.items():
        part.load_state_dict(saved[name])

loader = torch.utils.data.DataLoader(dataset, BATCH, sampler=sampler)
for epoch in range(sampler.epoch, EPOCHS):
    sampler.set_epoch(epoch)
    for batches, (x, y) in enumerate(loader, start=1):
        x = x + torch.from_dlpack(noise.normal(tuple(x.shape), mean=0, stddev=0.01))
        loss = torch.nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        saved = {name: part.state_dict() for name, part in parts.items()}
        saved["sampler"] = sampler.state_dict(consumed=BATCH * batches)  # the samples used, not those loaded in advance
        torch.save(saved, "train.pt.new")
        os.replace("train.pt.new", "train.pt")  # a kill leaves the old file or the new one

print(f"loss {torch.nn.functional.mse_loss(model(inputs), targets).item():.4f}")
