"""Draw on a GPU by WebGPU, and compare with the processor. Needs: pip install wgpu."""

import numpy as np

from dmlrand import make_state, random_generator, webgpu

state = make_state(key=42)
try:
    on_gpu = webgpu.random_generator(state, (1000, 1000))  # on_gpu.values lies in the memory of the GPU
except RuntimeError as error:  # no GPU that wgpu can use: the text says what to install
    print(error)
else:
    on_processor = random_generator(state, (1000, 1000))
    print("equal words:", np.array_equal(on_gpu.values.to_numpy(), on_processor.values))
    print("equal states:", np.array_equal(on_gpu.state, on_processor.state))
