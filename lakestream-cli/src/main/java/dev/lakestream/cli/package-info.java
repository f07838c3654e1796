/** The command line: creates, inspects, reads and verifies a stream (docs/cli.md). */
package dev.lakestream.cli;
