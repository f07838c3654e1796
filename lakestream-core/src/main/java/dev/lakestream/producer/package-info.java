/**
 * Writing a stream without Flink ([L] Algorithm 1): batches are appended, staged as bundles and
 * published in the background. The staging of bundles also serves the Flink sink.
 */
package dev.lakestream.producer;
