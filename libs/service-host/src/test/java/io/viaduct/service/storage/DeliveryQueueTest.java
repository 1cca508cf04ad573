package io.viaduct.service.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.service.storage.DeliveryQueue.Outcome;
import io.viaduct.service.storage.QueueStatistics.Fate;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class DeliveryQueueTest {
  @TempDir Path root;
  private final List<Integer> sent = new CopyOnWriteArrayList<>();

  private static byte[] bytes(int value) {
    return new byte[] {(byte) value};
  }

  private DeliveryQueue open(DeliveryQueue.Reader reader) throws Exception {
    return DeliveryQueue.open(
        "test-queue",
        new QueueSettings(root.resolve("queue"), 10, 2, Duration.ofSeconds(1)),
        reader);
  }

  private record Entry(int number, List<Integer> sent) implements QueueEntry {
    @Override
    public String session() {
      return "one";
    }

    @Override
    public CompletableFuture<Outcome> send(boolean isRepeated) {
      sent.add(number);
      return CompletableFuture.completedFuture(Outcome.DELIVERED);
    }
  }

  @Test
  void entriesWhoseCallerHasGivenUpAreNotStored() throws Exception {
    CompletableFuture<Void> reading = new CompletableFuture<>();
    CompletableFuture<Void> goesOn = new CompletableFuture<>();
    DeliveryQueue.Reader slow =
        octets -> {
          reading.complete(null);
          goesOn.join();
          return Optional.of(new Entry(octets[0], sent));
        };
    try (DeliveryQueue queue = open(slow)) {
      queue.add(bytes(1)).get(20, TimeUnit.SECONDS);
      reading.get(20, TimeUnit.SECONDS);
      assertThat(queue.addAll(List.of(bytes(2), bytes(3))).cancel(false)).isTrue();
      CompletableFuture<Void> next = queue.add(bytes(4));
      goesOn.complete(null);
      next.get(20, TimeUnit.SECONDS);
      await().until(() -> queue.statistics().of(Fate.DELIVERED) == 2);
      assertThat(queue.statistics().of(Fate.STORED)).isEqualTo(2);
    }
    assertThat(sent).containsExactly(1, 4);
  }
}
