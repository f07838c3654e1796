/**
 * What looks after a stream at rest: {@link dev.lakestream.retention.StreamVerifier} checks every
 * checksum and every invariant that can be seen in what is stored.
 */
package dev.lakestream.retention;
