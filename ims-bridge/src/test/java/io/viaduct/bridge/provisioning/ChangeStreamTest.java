package io.viaduct.bridge.provisioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ChangeStreamTest {
  private final ManagedChannel nowhere =
      NettyChannelBuilder.forAddress("127.0.0.1", 1).usePlaintext().build();
  private final Counter failures = Counter.builder("failures").register(new SimpleMeterRegistry());

  @AfterEach
  void close() {
    nowhere.shutdownNow();
  }

  /// Completes the directory with the first event, and does something when the stream fails.
  private record Reading(Runnable onFailure) implements ChangeStream.Reader<String> {
    @Override
    public boolean stage(String event) {
      return true;
    }

    @Override
    public void change(String event) {}

    @Override
    public void failed(String why) {
      onFailure.run();
    }
  }

  private static Iterator<String> unavailable() {
    throw Status.UNAVAILABLE.asRuntimeException();
  }

  @Test
  void aStreamThatIsOpenedAgainWhileItIsDownStillCountsItsNextFailure() {
    AtomicReference<ChangeStream<String>> stream = new AtomicReference<>();
    AtomicInteger opened = new AtomicInteger();
    CountDownLatch third = new CountDownLatch(1);
    stream.set(
        new ChangeStream<>(
            "test",
            nowhere,
            () -> {
              if (opened.incrementAndGet() == 3) {
                third.countDown();
                stream.get().close();
              }
              return unavailable();
            },
            new Reading(() -> stream.get().again()), // no stream is open now
            failures));
    stream.get().start();
    await().until(() -> third.getCount() == 0);
    assertThat(failures.count()).isEqualTo(2);
  }

  @Test
  void anEventThatCannotBeReadEndsTheStreamAndNotItsThread() {
    AtomicInteger opened = new AtomicInteger();
    try (ChangeStream<String> stream =
        new ChangeStream<>(
            "test",
            nowhere,
            () -> {
              if (opened.incrementAndGet() == 1) {
                throw new IllegalArgumentException("a field breaks its rule");
              }
              return List.of("complete").iterator();
            },
            new Reading(() -> {}),
            failures)) {
      stream.start();
      await().until(() -> opened.get() > 1);
      assertThat(failures.count()).isPositive();
    }
  }
}
