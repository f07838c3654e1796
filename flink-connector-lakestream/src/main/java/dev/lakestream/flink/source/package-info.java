/**
 * The Flink source: replay of a training stream, bounded or not (DESIGN section 5.4). An enumerator
 * turns committed bundles into splits; readers fetch their ranges and emit records.
 */
package dev.lakestream.flink.source;
