/**
 * Samples in, global batches out: by count ({@link dev.lakestream.assembly.CountAssembler}) or by
 * token packing ({@link dev.lakestream.assembly.TokenPackingAssembler}), optionally behind a {@link
 * dev.lakestream.assembly.ShuffleBuffer}. Pure computation: no I/O, no clock, no threads. One
 * instance serves one writer.
 */
package dev.lakestream.assembly;
