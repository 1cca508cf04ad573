package io.viaduct.denarii.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CardFileTest {
  @TempDir Path folder;

  private Path file(String text) throws Exception {
    Path file = Files.writeString(folder.resolve("alice.card"), text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void linesAreKeysAndCommentsAreNot() throws Exception {
    assertThat(CardFile.read(file("# alice\nk = 46\n\nopc=cd\n")))
        .isEqualTo(Map.of("k", "46", "opc", "cd"));
  }

  @Test
  void aBrokenLineIsNamedAndItsValueIsNotRepeated() throws Exception {
    Path broken = file("k=46\nsecret=5eed\n");
    assertThatThrownBy(() -> CardFile.read(broken))
        .hasMessageContaining("line 2")
        .hasMessageNotContaining("5eed");
    Path twice = file("k=46\nk=47\n");
    assertThatThrownBy(() -> CardFile.read(twice)).hasMessageContaining("k is given twice");
  }

  @Test
  void aFileThatOthersMayReadIsRefused() throws Exception {
    Path open = file("k=46\n");
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
    assertThatThrownBy(() -> CardFile.read(open)).hasMessageContaining("chmod 600");
  }
}
