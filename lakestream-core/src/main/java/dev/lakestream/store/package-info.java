/**
 * The object store as the rest of Lakestream sees it: whole objects, ranges, ordered listings and
 * one conditional create. The lowest room: it knows nothing of bundles, manifests or streams.
 */
package dev.lakestream.store;
