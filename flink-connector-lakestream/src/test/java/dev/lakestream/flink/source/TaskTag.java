package dev.lakestream.flink.source;

import org.apache.flink.api.common.functions.RichMapFunction;

/** Says which task a record came from. */
final class TaskTag extends RichMapFunction<String, String> {

  private static final long serialVersionUID = 1L;

  @Override
  public String map(String record) {
    return getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() + "|" + record;
  }

  static String task(String tagged) {
    return tagged.substring(0, tagged.indexOf('|'));
  }

  static String text(String tagged) {
    return tagged.substring(tagged.indexOf('|') + 1);
  }
}
