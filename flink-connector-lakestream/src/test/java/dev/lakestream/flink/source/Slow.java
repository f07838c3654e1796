package dev.lakestream.flink.source;

import org.apache.flink.api.common.functions.MapFunction;

/** Takes its time, so that a job is still at work when a test acts on it. */
final class Slow implements MapFunction<String, String> {

  private static final long serialVersionUID = 1L;

  private final int recordsPerMillisecond;
  private int seen;

  Slow(int recordsPerMillisecond) {
    this.recordsPerMillisecond = recordsPerMillisecond;
  }

  @Override
  public String map(String record) throws Exception {
    if (++seen % recordsPerMillisecond == 0) {
      Thread.sleep(1);
    }
    return record;
  }
}
