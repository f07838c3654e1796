/**
 * One global batch and the bundles that hold them: {@link dev.lakestream.batch.Mesh}, {@link
 * dev.lakestream.batch.GlobalBatch}, the rank-major bundle format and its writer and reader. Knows
 * objects, not the stream they belong to.
 */
package dev.lakestream.batch;
