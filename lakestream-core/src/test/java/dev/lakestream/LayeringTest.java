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
package dev.lakestream;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.lakestream.store.ObjectStore;

/** The rooms of the core and which of them may know which: dependencies point downwards only. */
@AnalyzeClasses(packages = "dev.lakestream", importOptions = ImportOption.DoNotIncludeTests.class)
class LayeringTest {

  @ArchTest
  static final ArchRule dependenciesPointDownwards =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .withOptionalLayers(true)
          .layer("store")
          .definedBy("dev.lakestream.store..")
          .layer("format")
          .definedBy("dev.lakestream.format..")
          .layer("batch")
          .definedBy("dev.lakestream.batch..")
          .layer("assembly")
          .definedBy("dev.lakestream.assembly..")
          .layer("manifest")
          .definedBy("dev.lakestream.manifest..")
          .layer("commit")
          .definedBy("dev.lakestream.commit..")
          .layer("producer")
          .definedBy("dev.lakestream.producer..")
          .layer("consumer")
          .definedBy("dev.lakestream.consumer..")
          .layer("retention")
          .definedBy("dev.lakestream.retention..")
          .whereLayer("store")
          .mayNotAccessAnyLayer()
          .whereLayer("format")
          .mayNotAccessAnyLayer()
          .whereLayer("batch")
          .mayOnlyAccessLayers("store", "format")
          .whereLayer("assembly")
          .mayOnlyAccessLayers("batch", "format")
          .whereLayer("manifest")
          .mayOnlyAccessLayers("store", "format", "batch")
          .whereLayer("commit")
          .mayOnlyAccessLayers("store", "format", "batch", "manifest")
          .whereLayer("producer")
          .mayOnlyAccessLayers(
              "store", "format", "batch", "assembly", "manifest", "commit", "retention")
          .whereLayer("consumer")
          .mayOnlyAccessLayers("store", "format", "batch", "manifest")
          .whereLayer("retention")
          .mayOnlyAccessLayers("store", "format", "batch", "manifest", "commit", "consumer");

  @ArchTest
  static final ArchRule roomsHaveNoCircles =
      slices().matching("dev.lakestream.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule coreKnowsNoFlink =
      noClasses().should().dependOnClassesThat().resideInAPackage("org.apache.flink..");

  @ArchTest
  static final ArchRule vendorTypesStayInTheStore =
      classes()
          .that()
          .resideOutsideOfPackage("dev.lakestream.store..")
          .should()
          .onlyDependOnClassesThat()
          .resideOutsideOfPackages("software.amazon..", "dev.failsafe..", "io.netty..");

  /**
   * Reclamation deletes in one place; beside it, what a person names by its name, and what a clock
   * wrote itself.
   */
  @ArchTest
  static final ArchRule nothingIsDeletedBesideTheGuard =
      noClasses()
          .that()
          .resideOutsideOfPackage("dev.lakestream.store..")
          .and()
          .doNotHaveSimpleName("GuardedDeleter")
          .and()
          .doNotHaveSimpleName("StreamDrop")
          .and()
          .doNotHaveSimpleName("Tags")
          .and()
          .doNotHaveSimpleName("Watermarks")
          .and()
          .doNotHaveSimpleName("StoreClock")
          .should()
          .callMethodWhere(
              target(nameMatching("delete|abort"))
                  .and(target(owner(assignableTo(ObjectStore.class)))));

  @ArchTest
  static final ArchRule noJavaSerialization =
      noClasses()
          .should()
          .dependOnClassesThat()
          .haveFullyQualifiedName("java.io.ObjectOutputStream");
}
