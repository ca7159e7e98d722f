"""Train in several processes; another number of ranks may resume. Needs: pip install torch.

Run it with: torchrun --standalone --nproc-per-node=2 train.py
"""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from dmlrand import ShuffledSampler, Stream, fold_in, key_of, make_state

SAMPLES, BATCH, EPOCHS, WORKERS = 101, 4, 3, 2

data, noise = Stream(seed=1), Stream(seed=2)  # a made-up data set
inputs = torch.from_dlpack(data.normal((SAMPLES, 4)))
targets = inputs.sum(1, keepdim=True) + 0.1 * torch.from_dlpack(data.normal((SAMPLES, 1)))
net = torch.nn.Sequential(torch.nn.Linear(4, 64), torch.nn.Tanh(), torch.nn.Dropout(0.1), torch.nn.Linear(64, 1))
for parameter in net.parameters():
    data.normal(out=parameter.detach(), stddev=0.3)


class Augmented(torch.utils.data.Dataset):
    """Each sample gets new noise in each epoch, whichever process and worker loads it."""

    def __len__(self):
        return SAMPLES

    def __getitem__(self, sample):
        epoch, index = sample  # because of with_epoch=True: persistent workers do not see a change of the data set
        stream = noise.fold_in(epoch).fold_in(index)
        return inputs[index] + 0.01 * torch.from_dlpack(stream.normal(4)), targets[index]


def main():
    dist.init_process_group("gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    # With 3 or more ranks the argument keeps the order in which gradients are added. Otherwise it changes after the
    # first step of each run, and the weights do not resume bit for bit.
    model = DistributedDataParallel(net, find_unused_parameters=ranks > 2)
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    # uneven="drop": all ranks take the same number of steps, and fewer than `ranks` samples of an epoch are left out.
    sampler = ShuffledSampler(SAMPLES, make_state(key=4), rank, ranks, uneven="drop", with_epoch=True)
    parts = {"model": net, "optimizer": optimizer, "sampler": sampler}
    if os.path.exists("train_ddp.pt"):
        saved = torch.load("train_ddp.pt", weights_only=True)
        for name, part in parts.items():
            part.load_state_dict(saved[name])
    dist.barrier()  # no rank saves before all have loaded

    loader = torch.utils.data.DataLoader(
        Augmented(), BATCH, sampler=sampler, num_workers=WORKERS, persistent_workers=WORKERS > 0
    )
    for epoch in range(sampler.epoch, EPOCHS):
        sampler.set_epoch(epoch)
        for batches, (x, y) in enumerate(loader, start=1):
            progress = sampler.state_dict(consumed=BATCH * batches)  # of all ranks: each used as many samples
            # Each step of each rank has its own seed for the masks of Dropout, so no generator has to be saved.
            step = fold_in(fold_in(make_state(key=5), epoch), progress["position"])
            torch.manual_seed(key_of(fold_in(step, rank)))
            loss = torch.nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if rank == 0:
                saved = {name: part.state_dict() for name, part in parts.items()} | {"sampler": progress}
                torch.save(saved, "train_ddp.pt.new")
                os.replace("train_ddp.pt.new", "train_ddp.pt")  # a kill leaves the old file or the new one
    if rank == 0:
        net.eval()
        print(f"loss {torch.nn.functional.mse_loss(net(inputs), targets).item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
