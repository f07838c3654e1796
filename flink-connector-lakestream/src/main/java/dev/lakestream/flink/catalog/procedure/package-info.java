/** {@code CALL sys.…}: what is done to one stream at a time. */
package dev.lakestream.flink.catalog.procedure;
