/** What the Flink source and sink of Lakestream share. */
package dev.lakestream.flink;
