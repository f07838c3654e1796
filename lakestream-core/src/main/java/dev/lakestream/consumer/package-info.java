/**
 * The training side: a rank opens a stream, reads what is its own of each step in order, and
 * resumes from a cursor that fits in a model checkpoint with the mesh of the stream or with another
 * one ({@link dev.lakestream.consumer.topology}). For those who train: docs/rank-reader.md.
 *
 * <p>It stands on {@code manifest} and {@code batch}; retention and the framework integrations
 * stand on it.
 */
package dev.lakestream.consumer;
