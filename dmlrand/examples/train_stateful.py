"""Train with torchdata, whose loader saves its own progress. Needs: pip install torch torchdata."""

import os

import torch
from torchdata.stateful_dataloader import StatefulDataLoader

from dmlrand import ShuffledSampler, Stream, make_state

SAMPLES, BATCH, EPOCHS, WORKERS = 100, 8, 3, 2

data, noise = Stream(seed=1), Stream(seed=2)  # a made-up data set
inputs = torch.from_dlpack(data.normal((SAMPLES, 4)))
targets = inputs.sum(1, keepdim=True) + 0.1 * torch.from_dlpack(data.normal((SAMPLES, 1)))


class Augmented(torch.utils.data.Dataset):
    """Each sample gets new noise in each epoch, whichever worker loads it."""

    def __len__(self):
        return SAMPLES

    def __getitem__(self, sample):
        epoch, index = sample  # because of with_epoch=True
        stream = noise.fold_in(epoch).fold_in(index)
        return inputs[index] + 0.01 * torch.from_dlpack(stream.normal(4)), targets[index]


def main():
    model = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
    weights = Stream(seed=3)
    for parameter in model.parameters():
        weights.normal(out=parameter.detach(), stddev=0.3)
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    sampler = ShuffledSampler(SAMPLES, make_state(key=4), with_epoch=True)
    loader = StatefulDataLoader(Augmented(), BATCH, sampler=sampler, num_workers=WORKERS, persistent_workers=True)
    first, parts = 0, {"model": model, "optimizer": optimizer, "loader": loader}
    if os.path.exists("train_stateful.pt"):
        saved = torch.load("train_stateful.pt", weights_only=False)  # the loader's state holds more than tensors
        first = saved["epoch"]
        for name, part in parts.items():
            part.load_state_dict(saved[name])

    for epoch in range(first, EPOCHS):
        for x, y in loader:
            loss = torch.nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            saved = {name: part.state_dict() for name, part in parts.items()}  # the sampler is part of the loader
            torch.save(saved | {"epoch": epoch}, "train_stateful.pt.new")
            os.replace("train_stateful.pt.new", "train_stateful.pt")  # a kill leaves the old file or the new one
    print(f"loss {torch.nn.functional.mse_loss(model(inputs), targets).item():.4f}")


if __name__ == "__main__":
    main()
