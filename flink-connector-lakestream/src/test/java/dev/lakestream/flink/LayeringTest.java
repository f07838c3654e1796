/*
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package dev.lakestream.flink;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.util.InstantiationUtil;
import org.apache.flink.util.SerializedValue;

/**
 * The rooms of the connector: sink and source know nothing of each other, tables use both, the
 * catalog uses tables.
 */
@AnalyzeClasses(
    packages = "dev.lakestream.flink",
    importOptions = ImportOption.DoNotIncludeTests.class)
class LayeringTest {

  @ArchTest
  static final ArchRule dependenciesPointDownwards =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .withOptionalLayers(true)
          .layer("sink")
          .definedBy("dev.lakestream.flink.sink..")
          .layer("source")
          .definedBy("dev.lakestream.flink.source..")
          .layer("table")
          .definedBy("dev.lakestream.flink.table..")
          .layer("catalog")
          .definedBy("dev.lakestream.flink.catalog..")
          .whereLayer("sink")
          .mayNotAccessAnyLayer()
          .whereLayer("source")
          .mayNotAccessAnyLayer()
          .whereLayer("table")
          .mayOnlyAccessLayers("sink", "source")
          .whereLayer("catalog")
          .mayOnlyAccessLayers("table", "sink", "source");

  @ArchTest
  static final ArchRule roomsHaveNoCircles =
      slices().matching("dev.lakestream.flink.(*)..").should().beFreeOfCycles();

  /**
   * State outlives the classes that wrote it: it is written field by field, by a serializer with a
   * version. Flink's own helpers for objects and for unknown types would bring the class along.
   */
  @ArchTest
  static final ArchRule noJavaSerializationInState =
      noClasses()
          .should()
          .dependOnClassesThat()
          .belongToAnyOf(
              ObjectOutputStream.class,
              ObjectInputStream.class,
              InstantiationUtil.class,
              SerializedValue.class,
              GenericTypeInfo.class,
              KryoSerializer.class);

  /** A state that has no serializer of its own would be given one by Flink, without a version. */
  @ArchTest
  static final ArchRule whatIsKeptIsWrittenBySerializersWithAVersion =
      classes()
          .that()
          .haveSimpleNameEndingWith("Serializer")
          .and()
          .areNotInterfaces()
          .should()
          .implement(SimpleVersionedSerializer.class);
}
