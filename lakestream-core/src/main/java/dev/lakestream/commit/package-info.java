/**
 * How anything becomes part of a stream: the commit loop over conditional creates, who may publish
 * what (owners, lineages, takeover, fencing), and the pacing of commits.
 */
package dev.lakestream.commit;
