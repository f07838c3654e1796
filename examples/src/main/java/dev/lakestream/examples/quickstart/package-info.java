/**
 * The quickstart: a Flink job that tokenises real text into a training stream, is killed and
 * restored on the way, and four ranks that read the stream and prove that every token arrived once.
 *
 * <p>{@link dev.lakestream.examples.quickstart.QuickstartJob} and {@link
 * dev.lakestream.examples.quickstart.Rank} are what a user would write; the other classes start
 * them, watch them and check their work.
 */
package dev.lakestream.examples.quickstart;
