package io.viaduct.fuzzing;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.driver.Opt;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

class CorpusTest {
  @Test
  void theCorpusIsWhatSeedsMakesThenTheLinesOfTheFileAndItsFaultIsFound() {
    assertThat(replay(PlantedFault.class))
        .containsExactly(
            "0x01 null",
            "0x02 null",
            "0x null",
            "0xab42 java.lang.IllegalStateException: 66",
            "<empty input> null");
  }

  private static List<String> replay(Class<?> target) {
    List<String> results = new ArrayList<>();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(target))
                .build(),
            new TestExecutionListener() {
              @Override
              public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (test.isTest()) {
                  Throwable thrown = result.getThrowable().map(CorpusTest::root).orElse(null);
                  results.add(test.getDisplayName() + " " + thrown);
                }
              }
            });
    return results;
  }

  private static Throwable root(Throwable thrown) {
    return thrown.getCause() == null ? thrown : root(thrown.getCause());
  }

  @Test
  void everyTargetReplaysItsCorpus() throws Exception {
    try (Stream<Path> sources = Files.walk(Path.of(System.getProperty("viaduct.root")))) {
      assertThat(sources.filter(file -> file.toString().endsWith("Fuzz.java")))
          .isNotEmpty()
          .allSatisfy(file ->
              assertThat(Files.readString(file))
                  .contains("@ArgumentsSource(Corpus.class)\n  @FuzzTest"));
    }
  }

  @Test
  void theSuiteInstrumentsNoClass() {
    assertThat(Opt.hooks.get()).isFalse();
  }

  @Test
  void packedLinesGoFromShortToLongAndAreBounded(@TempDir Path folder) throws Exception {
    write(folder.resolve("found"), new byte[] {2}, new byte[] {1}, new byte[] {1, 2}, new byte[9]);
    CorpusFile.add(folder.resolve("found"), folder.resolve("out/PlantedFault.hex"), 8, 2);
    assertThat(Files.readAllLines(folder.resolve("out/PlantedFault.hex")))
        .isEqualTo(List.of("01", "02"));
  }

  @Test
  void theLinesOfACorpusStayWhenMoreArePacked(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("PlantedFault.hex"), "00ff\n");
    write(folder.resolve("found"), new byte[] {1}, new byte[] {2}, new byte[] {(byte) 0xAB, 0x42});
    CorpusFile.add(folder.resolve("found"), file, 8, 3);
    CorpusFile.add(folder.resolve("found"), file, 8, 3);
    assertThat(Files.readAllLines(file)).isEqualTo(List.of("01", "02", "00ff"));
  }

  private static void write(Path folder, byte[]... inputs) throws Exception {
    Files.createDirectories(folder);
    for (int i = 0; i < inputs.length; i++) {
      Files.write(folder.resolve("input-" + i), inputs[i]);
    }
  }
}
