package dev.lakestream.flink.source;

import org.apache.flink.connector.testframe.environment.MiniClusterTestEnvironment;
import org.apache.flink.connector.testframe.external.ExternalContextFactory;
import org.apache.flink.connector.testframe.junit.annotations.TestContext;
import org.apache.flink.connector.testframe.junit.annotations.TestEnv;
import org.apache.flink.connector.testframe.junit.annotations.TestSemantics;
import org.apache.flink.connector.testframe.testsuites.SourceTestSuiteBase;
import org.apache.flink.core.execution.CheckpointingMode;

/** Flink's own suite for sources. */
class ConformanceITCase extends SourceTestSuiteBase<String> {

  @TestSemantics CheckpointingMode[] semantics = {CheckpointingMode.EXACTLY_ONCE};

  @TestEnv MiniClusterTestEnvironment cluster = new MiniClusterTestEnvironment();

  @TestContext
  ExternalContextFactory<ConformanceContext> stream = test -> new ConformanceContext();
}
