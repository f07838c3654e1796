/**
 * Training streams as tables: {@code 'connector' = 'lakestream'}. Stands on the sink and the
 * source; what a slice holds is the business of {@link dev.lakestream.flink.table.arrow} and of
 * Flink's formats.
 */
package dev.lakestream.flink.table;
