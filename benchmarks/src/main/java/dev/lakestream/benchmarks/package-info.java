/**
 * Measurements, each with a name and one line of results. They are run by hand or by {@code
 * bin/bench}, never as tests.
 */
package dev.lakestream.benchmarks;
