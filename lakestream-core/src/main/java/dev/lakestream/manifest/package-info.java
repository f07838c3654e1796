/**
 * The history of a stream: its {@code stream} object, the numbered manifests, and the segments that
 * hold what has left a manifest's tail. Finds the newest manifest, follows it, and answers which
 * bundle holds a step.
 */
package dev.lakestream.manifest;
