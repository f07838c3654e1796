/**
 * The slice format arrow: the rows of one slice as one Apache Arrow IPC stream, between Flink's
 * rows and Arrow's vectors. Knows nothing of streams and steps.
 */
package dev.lakestream.flink.table.arrow;
