"""Draw the random numbers of JAX, TensorFlow and OpenVINO without these packages."""

from dmlrand.compat import jax, openvino, tensorflow

# JAX: key = jax.random.key(0); jax.random.normal(jax.random.fold_in(key, 7), (3,))
key = jax.key(0)
print("JAX       ", jax.normal(jax.fold_in(key, 7), (3,)))

# TensorFlow: tf.random.set_seed(1); tf.random.uniform([3])
tensorflow.set_seed(1)
print("TensorFlow", tensorflow.uniform([3]))

# TensorFlow: tf.random.stateless_uniform([3], seed=[1, 2])
print("TensorFlow", tensorflow.stateless_uniform([3], seed=[1, 2]))

# OpenVINO: a RandomUniform node of type f32 with global_seed=150 and op_seed=10
node = openvino.RandomUniform("f32", global_seed=150, op_seed=10)
print("OpenVINO  ", node([3], 0.0, 1.0))
