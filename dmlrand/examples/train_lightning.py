"""Train with Lightning; a killed run resumes exactly. Needs: pip install lightning torchdata."""

import os

import lightning
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torchdata.stateful_dataloader import StatefulDataLoader

from dmlrand import ShuffledSampler, Stream, make_state

SAMPLES, BATCH, EPOCHS = 100, 8, 4  # 13 batches in an epoch


class Regression(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
        self.noise = Stream(seed=42)
        for parameter in self.parameters():
            self.noise.normal(out=parameter.detach(), stddev=0.3)

    def training_step(self, batch, number):
        x, y = batch
        x = x + torch.from_dlpack(self.noise.normal(tuple(x.shape), mean=0, stddev=0.01)).to(x.device)
        return torch.nn.functional.mse_loss(self.net(x), y)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 0.01)

    def on_save_checkpoint(self, checkpoint):
        checkpoint["noise"] = self.noise.state_dict()

    def on_load_checkpoint(self, checkpoint):
        self.noise.load_state_dict(checkpoint["noise"])


data = Stream(seed=1)
inputs = torch.from_dlpack(data.normal((SAMPLES, 4)))
targets = inputs.sum(1, keepdim=True) + 0.1 * torch.from_dlpack(data.normal((SAMPLES, 1)))
dataset, sampler = torch.utils.data.TensorDataset(inputs, targets), ShuffledSampler(SAMPLES, make_state(key=2))
loader = StatefulDataLoader(dataset, BATCH, sampler=sampler)  # Lightning saves its progress, and so the sampler's
# No multiple of 5 steps may be the end of an epoch before the last one: from there, Lightning skips an epoch.
save = ModelCheckpoint("lightning", filename="saved", every_n_train_steps=5, enable_version_counter=False)
trainer = lightning.Trainer(max_epochs=EPOCHS, accelerator="cpu", devices=1, callbacks=[save], logger=False)
resume = "lightning/saved.ckpt" if os.path.exists("lightning/saved.ckpt") else None
model = Regression()
trainer.fit(model, loader, ckpt_path=resume)
print(f"loss {torch.nn.functional.mse_loss(model.net(inputs), targets).item():.4f}")
