/**
 * What the bytes of a slice are: {@code raw}, {@code records} ({@link
 * dev.lakestream.batch.slice.RecordSlice}) and {@code tokens} ({@link
 * dev.lakestream.batch.slice.TokenSlice}). The layouts are specified for other languages in
 * docs/slice-formats.md. Their bytes carry no checksum of their own: the slice table of the bundle
 * has one over the whole slice.
 */
package dev.lakestream.batch.slice;
