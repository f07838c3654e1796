/**
 * When a producer tries to commit again: DAC, and the policies that it is measured against ([L]
 * section 3.4).
 */
package dev.lakestream.commit.pacing;
