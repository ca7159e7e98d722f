"""The calls of randomgen that tests/vectors/randomgen_philox4x32.json records. See replay.py."""

import randomgen
from replay import to_int


def raw(case):
    bits = randomgen.Philox(key=to_int(case["key"]), counter=to_int(case["counter"]), number=4, width=32)
    drawn = bits.random_raw(case["n"]).tolist()
    after = bits.state
    counter = after["state"]["counter"].tolist()
    return {"result": drawn, "state_counter_after": counter, "buffer_pos_after": after["buffer_pos"]}


CALLS = {"randomgen_philox4x32": raw}
