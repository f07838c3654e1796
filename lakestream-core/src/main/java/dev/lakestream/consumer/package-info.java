/**
 * The training side: a rank opens a stream, reads its own slice of each step in order, and resumes
 * from a cursor that fits in a model checkpoint (DESIGN section 5.1).
 *
 * <p>This form reads with the mesh that the batches were written for. It stands on {@code manifest}
 * and {@code batch}; nothing but the framework integration above stands on it.
 */
package dev.lakestream.consumer;
