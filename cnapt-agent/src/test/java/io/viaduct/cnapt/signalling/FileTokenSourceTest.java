package io.viaduct.cnapt.signalling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileTokenSourceTest {
  @TempDir Path folder;

  @Test
  void aTokenIsToldOnceAndAgainWhenTheFileHasChanged() throws Exception {
    Path file = Files.writeString(folder.resolve("token"), "AQID\n");
    Queue<SessionTicket> tickets = new ConcurrentLinkedQueue<>();
    try (FileTokenSource source = new FileTokenSource(file)) {
      source.start(tickets::add);
      await().until(() -> tickets.size() == 1);
      Files.writeString(file, "BAUG\n");
      await().until(() -> tickets.size() == 2);
    }
    assertThat(tickets)
        .extracting(SessionTicket::token)
        .containsExactly(new byte[] {1, 2, 3}, new byte[] {4, 5, 6});
    assertThat(tickets.peek().toString()).doesNotContain("AQID").doesNotContain("1, 2, 3");
  }

  @Test
  void aFileThatIsNoTokenIsNamedAndItsContentIsNot() throws Exception {
    Path file = Files.writeString(folder.resolve("token"), "not base64!");
    try (FileTokenSource source = new FileTokenSource(file)) {
      source.start(_ -> {});
      await().until(() -> !source.status().detail().isEmpty());
      assertThat(source.status().detail()).contains(file.toString()).doesNotContain("base64!");
    }
  }

  @Test
  void aMissingFileIsWaitedFor() throws Exception {
    Path file = folder.resolve("token");
    Queue<SessionTicket> tickets = new ConcurrentLinkedQueue<>();
    try (FileTokenSource source = new FileTokenSource(file)) {
      source.start(tickets::add);
      await().until(() -> !source.status().detail().isEmpty());
      Files.writeString(file, "AQID");
      await().until(() -> tickets.size() == 1);
    }
  }
}
