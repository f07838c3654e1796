/**
 * What is common to every object of a stream: the frame with magic, format version and checksum,
 * and UUIDs.
 */
package dev.lakestream.format;
