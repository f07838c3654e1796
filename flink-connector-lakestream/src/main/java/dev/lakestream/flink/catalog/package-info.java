/**
 * {@code CREATE CATALOG … WITH ('type' = 'lakestream', 'warehouse' = …)}: databases and tables as
 * prefixes of one warehouse, metadata tables, and procedures.
 */
package dev.lakestream.flink.catalog;
