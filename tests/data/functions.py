# SPDX-License-Identifier: Apache-2.0
"""A SavedModel as TensorFlow 2 writes it: the graph itself is nearly empty, the nodes stand in its function library."""
import shutil

import tensorflow as tf


class Classifier(tf.Module):
    def __init__(self):
        super().__init__(name='classifier')
        self.weights = tf.Variable(tf.ones([16, 4]), name='weights')
        self.biases = tf.Variable(tf.zeros([4]), name='biases')

    @tf.function(input_signature=[tf.TensorSpec([None, 16], tf.float32, 'rows')])
    def scores(self, rows):
        return {'scores': tf.nn.softmax(tf.matmul(rows, self.weights) + self.biases)}

    @tf.function(input_signature=[tf.TensorSpec([None, 16], tf.float32, 'rows')])
    def best(self, rows):
        return {'best': tf.argmax(self.scores(rows)['scores'], 1)}


class Shared(tf.Module):
    """Its functions are called with two shapes, with two numbers of iterations, and in a branch; one variable is in none."""
    def __init__(self):
        super().__init__(name='shared')
        self.weights = tf.Variable(tf.ones([16, 16]), name='weights')
        self.idle = tf.Variable(tf.ones([3, 5]), name='idle')

    @tf.function(input_signature=[tf.TensorSpec([None, 16], tf.float32, 'rows')])
    def layer(self, rows):
        return tf.nn.relu(tf.matmul(rows, self.weights))

    @tf.function(input_signature=[tf.TensorSpec([None, 16], tf.float32, 'rows'), tf.TensorSpec([], tf.int32, 'times')])
    def repeat(self, rows, times):
        return tf.while_loop(lambda i, _: i < times, lambda i, x: (i + 1, tf.matmul(x, self.weights)), (0, rows))[1]

    @tf.function(input_signature=[tf.TensorSpec([2, 16], tf.float32, 'a'), tf.TensorSpec([3, 16], tf.float32, 'b')])
    def shapes(self, a, b):
        return {'a': self.layer(a), 'b': self.layer(b)}

    @tf.function(input_signature=[tf.TensorSpec([2, 16], tf.float32, 'a')])
    def loops(self, a):
        return {'five': self.repeat(a, 5), 'ten': self.repeat(a, 10)}

    @tf.function(input_signature=[tf.TensorSpec([2, 16], tf.float32, 'a')])
    def branch(self, a):
        return {'a': tf.cond(a[0, 0] > 0, lambda: self.layer(self.layer(a)), lambda: self.layer(a))}

    @tf.function(input_signature=[tf.TensorSpec([None, 16], tf.float32, 'open')])
    def open(self, open):
        return {'open': self.layer(open)}


def functions(folder):
    shutil.rmtree(folder, ignore_errors=True)
    model = Classifier()
    shared = Shared()
    tf.saved_model.save(shared, folder + '/shared', {name: getattr(shared, name)
                                                     for name in ('shapes', 'loops', 'branch', 'open')})
    tf.saved_model.save(Classifier(), folder + '/unsigned')
    tf.saved_model.save(model, folder + '/saved_model', {'scores': model.scores, 'best': model.best})
