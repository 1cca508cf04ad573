package io.viaduct.fuzzing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FuzzTargetTest {
  private final FuzzTarget target = new FuzzTarget(LineFuzz.class);

  @Test
  void targetsAreFoundByTheirName() throws Exception {
    assertThat(FuzzTarget.beside(FuzzTargetTest.class))
        .extracting(FuzzTarget::name)
        .containsExactly("LineFuzz");
  }

  @Test
  void theCorpusIsWhatSeedsMakesThenTheLinesOfTheFile() throws Exception {
    assertThat(target.corpus())
        .containsExactly(new byte[] {1}, new byte[] {2}, new byte[] {(byte) 0xAB, 0x42});
  }

  @Test
  void aBrokenRuleFailsWithItsCause() {
    assertThatThrownBy(() -> target.run(new byte[] {0, 66}))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("LineFuzz")
        .hasRootCauseMessage("66");
    target.run(new byte[] {67});
  }

  @Test
  void packedLinesGoFromShortToLongAndAreBounded(@TempDir Path folder) throws Exception {
    target.unpack(folder.resolve("corpus"));
    Files.write(folder.resolve("corpus/long"), new byte[9]);
    FuzzTarget.pack(folder.resolve("corpus"), folder.resolve("out/LineFuzz.hex"), 8, 2);
    assertThat(Files.readAllLines(folder.resolve("out/LineFuzz.hex")))
        .isEqualTo(List.of("01", "02"));
  }

  @Test
  void theLinesOfACorpusStayWhenMoreArePacked(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("LineFuzz.hex"), "00ff\n");
    target.unpack(folder.resolve("corpus"));
    FuzzTarget.pack(folder.resolve("corpus"), file, 8, 3);
    FuzzTarget.pack(folder.resolve("corpus"), file, 8, 3);
    assertThat(Files.readAllLines(file)).isEqualTo(List.of("01", "02", "00ff"));
  }
}
