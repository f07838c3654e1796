/**
 * The Flink sink: parallel writers stage bundles, one aggregator makes one committable of each
 * checkpoint, one committer publishes it as one manifest.
 */
package dev.lakestream.flink.sink;
