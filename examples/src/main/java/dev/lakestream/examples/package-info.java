/** Runnable examples of writing and reading training streams. */
package dev.lakestream.examples;
