# SPDX-License-Identifier: Apache-2.0
"""Float operations in Python: every kind of object that contains a model gives the same, correct numbers."""
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')

import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

import tfprof  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(os.path.dirname(os.path.dirname(HERE)), 'data', 'sample')
LOOPS = os.path.join(SAMPLE, 'loops', 'graph.pb')
SAVED = os.path.join(SAMPLE, 'functions', 'saved_model')
TOTAL = 2 * 4 * 5 * 6 + 4 * 6  # a product and a relu


def quietly(path):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', tfprof.ProfileWarning)
        return tfprof.open(path)


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.weights = tf.Variable(tf.ones([5, 6]))
        self.steps = tf.Variable(0, trainable=False)

    @tf.function(input_signature=[tf.TensorSpec([4, 5], tf.float32)])
    def __call__(self, x):
        return tf.nn.relu(x @ self.weights)


HLO = """HloModule jit_f

body {
  t = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[8] get-tuple-element(t), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f32[8] tanh(x), metadata={op_name="jit(f)/mlp/tanh"}
  ROOT r = (s32[], f32[8]) tuple(next, y)
}

cond {
  u = (s32[], f32[8]) parameter(0)
  j = s32[] get-tuple-element(u), index=0
  limit = s32[] constant(5)
  ROOT less = pred[] compare(j, limit), direction=LT
}

ENTRY main {
  p = f32[8] parameter(0)
  zero = s32[] constant(0)
  start = (s32[], f32[8]) tuple(zero, p)
  ROOT loop = (s32[], f32[8]) while(start), condition=cond, body=body
}
"""


STABLEHLO = """module @jit_f {
  func.func public @main(%arg0: tensor<8x16xf32>, %arg1: tensor<16x4xf32>) -> tensor<8x4xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
"""


REAL_JAX = """
import jax, jax.numpy as jnp, tfprof
f = jax.jit(lambda x, w: jnp.tanh(x @ w))
x, w = jnp.ones((8, 16)), jnp.ones((16, 4))
lowered = f.lower(x, w)
costs = lowered.cost_analysis()
for found in (tfprof.flops(lowered), tfprof.flops(lowered.compile()), tfprof.flops(f, x, w), tfprof.flops(lowered.as_text())):
    assert found.macs == 8 * 16 * 4 and found.coverage == 1, found
    assert found.total == 2 * 8 * 16 * 4 + 8 * 4 == costs['flops'] + costs['transcendentals'], (found, costs)
"""


class Lowered:
    """A stand-in for JAX's lowered object: HLO is one of its dialects."""

    def as_text(self, dialect=None, debug_info=False):
        return HLO if dialect == 'hlo' else 'module @jit_f {}'


class Compiled:
    def as_text(self):
        return HLO


class Jitted:
    def eval_shape(self, x):
        return x

    def lower(self, x):
        assert x == 8
        return Lowered()


class CompiledPrograms(unittest.TestCase):
    def test_programs_of_jax_and_their_text(self):
        for x in (Lowered(), Compiled(), HLO, HLO.encode()):
            found = tfprof.flops(x)
            self.assertEqual((found.total, found.macs, found.coverage, found.parameters), (5 * 8, 0, 1, 0))
        self.assertEqual(tfprof.flops(Jitted(), 8).total, 40)
        self.assertEqual([row['op'] for row in tfprof.flops(Compiled()).report.to_dict()['top_nodes']], ['tanh'])

    @unittest.skipUnless(importlib.util.find_spec('jax'), 'no jax in .venv')
    def test_what_jax_gives(self):
        """Runs in a separate process, because TensorFlow and JAX each load their own XLA."""
        done = subprocess.run([sys.executable, '-c', REAL_JAX], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=dict(os.environ, JAX_PLATFORMS='cpu'), check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_no_hlo_is_refused(self):
        class Stable:
            def as_text(self):
                return 'of no kind'

        with self.assertRaisesRegex(tfprof.UsageError, 'neither HLO nor StableHLO'):
            tfprof.flops(Stable())

    def test_stablehlo(self):
        class Lowered:
            def as_text(self, debug_info=False):
                return STABLEHLO

        for x in (Lowered(), STABLEHLO, STABLEHLO.encode()):
            found = tfprof.flops(x)
            self.assertEqual((found.total, found.macs, found.coverage), (2 * 8 * 16 * 4, 8 * 16 * 4, 1))


class Sources(unittest.TestCase):
    """One model in each of its representations."""

    @classmethod
    def setUpClass(cls):
        cls.model = Model()
        cls.concrete = cls.model.__call__.get_concrete_function()
        cls.message = cls.concrete.graph.as_graph_def(add_shapes=True)

    def check(self, found):
        self.assertIsInstance(found, tfprof.Flops)
        self.assertEqual((found.total, found.float_ops, found.macs, found.coverage), (TOTAL, TOTAL, 120, 1.0))
        self.assertFalse(found.at_least)

    def test_tensorflows_objects(self):
        for x in (self.model.__call__, self.concrete, self.concrete.graph, self.message):
            self.check(tfprof.flops(x))

    def test_variables_of_a_function_are_its_parameters(self):
        found = tfprof.flops(self.concrete)
        self.assertEqual((found.parameters, found.trainable_parameters), (30, 30))

    def test_bytes_files_and_profiles(self):
        data = self.message.SerializeToString()
        self.check(tfprof.flops(data))
        self.check(tfprof.flops(tfprof.open(data)))
        with tempfile.NamedTemporaryFile(suffix='.pb') as file:
            file.write(data)
            file.flush()
            self.check(tfprof.flops(file.name))

    def test_meta_graphs(self):
        meta = tf.compat.v1.MetaGraphDef(graph_def=self.message)
        self.check(tfprof.flops(meta))

    def test_callables_are_traced(self):
        found = tfprof.flops(lambda a, b: tf.matmul(a, b), tf.TensorSpec([2, 3]), np.ones([3, 4], np.float32))
        self.assertEqual((found.total, found.macs), (48, 24))
        traced = tf.function(lambda a: a + 1)
        self.assertEqual(tfprof.flops(traced, tf.TensorSpec([7])).total, 7)

    def test_saved_models_without_a_warning(self):
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            found = tfprof.flops(SAVED, assume_batch=10)
        scores = 10 * (2 * 16 * 4 + 4 + 5 * 4)
        self.assertEqual(found.signatures['scores'], scores)
        self.assertEqual(found.signatures['best'], scores + 10 * 3)
        self.assertEqual((found.parameters, found.trainable_parameters, found.coverage), (68, 68, 1.0))

    def test_one_saved_by_tensorflow(self):
        with tempfile.TemporaryDirectory() as folder:
            tf.saved_model.save(self.model, folder)
            found = tfprof.flops(folder)
            self.assertEqual(found.signatures['serving_default'], TOTAL)
            self.assertEqual(found.trainable_parameters, 30)

    def test_anything_else_is_refused(self):
        for wrong in (3, None, object()):
            with self.assertRaises(tfprof.UsageError):
                tfprof.flops(wrong)
        with self.assertRaises(tfprof.InputError):
            tfprof.flops('not there')


class Keras(unittest.TestCase):
    """A model's call is traced with its inputs: the test uses a single example."""

    def model(self):
        layers = keras.layers
        return keras.Sequential([
            layers.Input([8, 8, 3]), layers.Conv2D(4, 3), layers.BatchNormalization(), layers.ReLU(), layers.Dropout(0.5),
            layers.Flatten(), layers.Dense(10)
        ])

    def test_macs_are_those_of_its_layers(self):
        model = self.model()
        macs = 6 * 6 * 4 * 3 * 3 * 3 + 144 * 10
        found = tfprof.flops(model)
        self.assertEqual((found.macs, found.coverage), (macs, 1.0))
        self.assertEqual(tfprof.flops(model, assume_batch=7).macs, 7 * macs)
        self.assertEqual(tfprof.flops(model, tf.TensorSpec([3, 8, 8, 3])).macs, 3 * macs)

    def test_parameters_are_those_that_keras_counts(self):
        model = self.model()
        found = tfprof.flops(model)
        self.assertEqual(found.parameters, model.count_params())
        self.assertEqual(found.trainable_parameters, sum(int(np.prod(w.shape)) for w in model.trainable_weights))

    def test_several_inputs(self):
        a, b = keras.Input([3], name='a'), keras.Input([4], name='b')
        model = keras.Model([a, b], keras.layers.Dense(5)(keras.layers.Concatenate()([a, b])))
        self.assertEqual(tfprof.flops(model).macs, 35)
        named = keras.Model({'a': a, 'b': b}, keras.layers.Dense(5)(keras.layers.Concatenate()([a, b])))
        self.assertEqual(tfprof.flops(named).macs, 35)

    def test_one_that_knows_no_inputs(self):
        with self.assertRaises(tfprof.UsageError):
            tfprof.flops(keras.Sequential([keras.layers.Dense(3)]))

    def test_what_it_exports(self):
        model = self.model()
        with tempfile.TemporaryDirectory() as folder:
            model.export(folder, verbose=False)
            found = tfprof.flops(folder, assume_batch=1)
            whole = tfprof.flops(model)
            self.assertEqual(found.signatures['serving_default'], whole.total)
            self.assertEqual((found.parameters, found.trainable_parameters),
                             (whole.parameters, whole.trainable_parameters))


class Options(unittest.TestCase):

    def test_shapes_are_assumed(self):
        for shape in ((2, 8, 8, 3), '2,8,8,3', [2, 8, 8, 3]):
            self.assertEqual(tfprof.flops(LOOPS, assume_shape={'images': shape}).macs,
                             tfprof.flops(LOOPS, assume_batch=2).macs)
        open_batch = tfprof.flops(LOOPS, assume_shape={'images': (None, 8, 8, 3)})
        self.assertEqual(open_batch.macs, tfprof.flops(LOOPS).macs)
        with self.assertRaises(tfprof.NotFoundError):
            tfprof.flops(LOOPS, assume_shape={'nothing': [3]})

    def test_what_is_not_counted_is_said(self):
        found = tfprof.flops(LOOPS, assume_batch=2)
        self.assertLess(found.coverage, 1)
        self.assertTrue(found.at_least)
        self.assertEqual([row['op'] for row in found.without_formula], ['PyFunc'])
        self.assertEqual({row['op'] for row in found.without_shape}, {'AddV2', 'Square'})
        self.assertIn('operations without a formula', str(found))
        self.assertRegex(repr(found), r'^<tfprof.Flops: at least \d+ float operations, \d+ multiply-adds, coverage \d\d\.\d\d%>$')

    def test_tensorflows_own_count(self):
        graph = tf.Graph()
        with graph.as_default():
            x = tf.compat.v1.placeholder(tf.float32, [4, 8, 8, 3])
            y = tf.nn.conv2d(x, tf.ones([3, 3, 3, 5]), 2, 'VALID')
            y = tf.nn.softmax(tf.reshape(y, [4, -1]) + 1)
            tf.compat.v1.gradients(tf.reduce_mean(y), x)
        options = tf.compat.v1.profiler.ProfileOptionBuilder.float_operation()
        options['output'] = 'none'
        with graph.as_default():
            theirs = tf.compat.v1.profiler.profile(graph, options=options).total_float_ops
        self.assertEqual(tfprof.flops(graph, float_ops_source='tensorflow').total, theirs)
        p = tfprof.open(graph=graph.as_graph_def(add_shapes=True).SerializeToString())
        self.assertEqual(p.scope(float_ops_source='tensorflow', select='float_ops').root.total_float_ops, theirs)

    def test_rooflines(self):
        found = tfprof.flops(LOOPS, assume_batch=2, peak_flops='1T', peak_bandwidth=1e11)
        table = found.to_pandas().set_index('op')
        self.assertEqual(table.loc['MatMul', 'bound'], 'memory')
        self.assertAlmostEqual(table.loc['MatMul', 'attainable'], table.loc['MatMul', 'intensity'] * 1e11)
        with self.assertRaises(tfprof.UsageError):
            tfprof.flops(LOOPS, peak_flops='fast')

    def test_nodes(self):
        p = quietly(LOOPS)
        nodes = p.flops(nodes=True, assume_batch=2)
        self.assertEqual(nodes.columns, ['function', 'name', 'op', 'output_shapes', 'float_ops', 'macs', 'source'])
        row = nodes[nodes.column('name').index('conv')]
        self.assertEqual((row.function, row.output_shapes, row.float_ops, row.source), ('', '0:2x4x4x4', 6912, 'formula'))
        self.assertIsNone(nodes[nodes.column('name').index('python')].float_ops)


class Views(unittest.TestCase):
    """Tests that views show the same numbers as columns."""

    def test_ratios_are_made_of_sums(self):
        p = quietly(LOOPS)
        r = p.scope(float_ops_source='own', assume_batch=2, select='float_ops,macs,bytes_moved,coverage,intensity')
        root = r.root
        self.assertEqual(root.total_macs, tfprof.flops(p, assume_batch=2).macs)
        # the share of operations; that of tfprof.flops is the share of work
        self.assertTrue(0 < root.total_coverage < 1)
        self.assertGreater(root.total_intensity, 0)
        self.assertIsNone(root.coverage)
        self.assertEqual(r['conv'].intensity, r['conv'].float_ops / r['conv'].bytes_moved)
        self.assertEqual(r.to_dict()['root']['total_macs'], root.total_macs)
        self.assertEqual(dict(zip(r.column('name'), r.column('coverage')))['python'], 0)
        self.assertEqual(str(r.to_pandas().dtypes['coverage']), 'Float64')

    def test_what_files_do_not_say_is_not_there(self):
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', tfprof.ProfileWarning)
            p = quietly(LOOPS)
        r = p.scope(select='float_ops,macs,coverage')
        self.assertIsNone(r.root.total_macs)
        self.assertIn('-float_ops_source own', r.notes[0])

    def test_a_profile_without_a_graph(self):
        p = tfprof.open(os.path.join(SAMPLE, 'dense', 'run_meta_0'))
        with self.assertRaisesRegex(tfprof.NotFoundError, 'give the graph file'):
            p.flops()
        with self.assertRaises(tfprof.NotFoundError):
            p.scope(float_ops_source='own', select='macs')

    def test_a_written_profile_knows_its_graph(self):
        model = Model()
        message = model.__call__.get_concrete_function().graph.as_graph_def(add_shapes=True)
        written = tfprof.open(message.SerializeToString()).to_bytes()
        self.assertEqual(tfprof.flops(written).total, TOTAL)

    def test_formulas_are_tables(self):
        self.assertEqual(tfprof.help('op_sources', 'MatMul'), 'registry')
        self.assertIn('n(out)', tfprof.help('ops', 'MatMul'))
        self.assertGreater(len(tfprof.names('ops')), 1000)
