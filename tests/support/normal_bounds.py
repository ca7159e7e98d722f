"""The largest distances, in ulp, between our normals and those of other packages."""

CURAND_MAX_ULP = {"generate_normal": 3, "generate_normal_double": 5}  # before scaling
TRITON_MAX_ULP = 4  # its interpreter
TORCH_MAX_ULP = 2  # its compiled functions on a CPU
