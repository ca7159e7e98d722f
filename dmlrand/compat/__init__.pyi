# The imitated systems, for type checkers and for Python (imports.py).
from . import (
    directml as directml,
)
from . import (
    dxdispatch as dxdispatch,
)
from . import (
    jax as jax,
)
from . import (
    openvino as openvino,
)
from . import (
    tensorflow as tensorflow,
)
from . import (
    tfp as tfp,
)
from . import (
    theano as theano,
)
