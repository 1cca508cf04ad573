package io.viaduct.service.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateDirectoryTest {
  @TempDir Path folder;

  @Test
  void aNewDirectoryBelongsToItsOwnerAloneAndItsParentsAreMade() throws Exception {
    Path made = PrivateDirectory.make(folder.resolve("var/lib/state"));
    assertThat(modeOf(made)).isEqualTo("rwx------");
  }

  @Test
  void anExistingDirectoryAndEverythingBelowItIsTakenFromGroupAndOthers() throws Exception {
    Path state = Files.createDirectories(folder.resolve("state/spool/refused"));
    Path report = Files.writeString(state.resolve("report"), "alice");
    mode(report, "rw-r--r--");
    mode(state, "rwxrwxrwx");
    Path elsewhere = Files.writeString(folder.resolve("elsewhere"), "public");
    mode(elsewhere, "rw-r--r--");
    Files.createSymbolicLink(state.resolve("link"), elsewhere);

    PrivateDirectory.make(folder.resolve("state"));

    assertThat(modeOf(folder.resolve("state"))).isEqualTo("rwx------");
    assertThat(modeOf(state)).isEqualTo("rwx------");
    assertThat(modeOf(report)).isEqualTo("rw-------");
    assertThat(modeOf(elsewhere)).as("links are not followed").isEqualTo("rw-r--r--");
  }

  private static void mode(Path path, String mode) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
  }

  private static String modeOf(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
