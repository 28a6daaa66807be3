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


def functions(folder):
    shutil.rmtree(folder, ignore_errors=True)
    model = Classifier()
    tf.saved_model.save(model, folder + '/saved_model', {'scores': model.scores, 'best': model.best})
