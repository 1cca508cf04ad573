package io.viaduct.bridge.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class RelayAddressesTest {
  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
  private final AtomicReference<InetAddress[]> answer = new AtomicReference<>(told("192.0.2.1"));
  private final AtomicInteger asked = new AtomicInteger();
  private final RelayAddresses addresses =
      new RelayAddresses(
          host -> {
            asked.incrementAndGet();
            InetAddress[] found = answer.get();
            if (found.length == 0) {
              throw new UnknownHostException(host);
            }
            return found;
          },
          now::get);

  private static InetAddress[] told(String... literals) {
    return List.of(literals).stream().map(InetAddress::ofLiteral).toArray(InetAddress[]::new);
  }

  private void passSeconds(int seconds) {
    now.set(now.get().plusSeconds(seconds));
  }

  @Test
  void anAddressIsItsOwnAnswer() {
    assertThat(addresses.of("192.0.2.9")).isEmpty();
    assertThat(addresses.of("2001:db8::9")).isEmpty();
    assertThat(asked).hasValue(0);
  }

  @Test
  void aNameHasTwoAddressesOfEachFamilyIpv4First() {
    answer.set(
        told("2001:db8::1", "2001:db8::2", "2001:db8::3", "192.0.2.1", "192.0.2.2", "192.0.2.3"));
    assertThat(addresses.of("relay.example"))
        .containsExactly(told("192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2"));
  }

  @Test
  void anAnswerIsAskedForAgainAfterAMinuteAndOutlivesItsResolver() {
    assertThat(addresses.of("relay.example")).containsExactly(told("192.0.2.1"));
    passSeconds(50);
    addresses.of("relay.example");
    assertThat(asked).hasValue(1);
    answer.set(told("192.0.2.2"));
    passSeconds(50);
    addresses.of("relay.example");
    await().until(() -> addresses.of("relay.example").equals(List.of(told("192.0.2.2"))));
    answer.set(told());
    passSeconds(70);
    addresses.of("relay.example");
    await().until(() -> asked.get() == 3);
    assertThat(addresses.of("relay.example")).containsExactly(told("192.0.2.2"));
  }

  @Test
  void aNameThatNobodyKnowsIsNotWaitedForTwice() {
    answer.set(told());
    assertThat(addresses.of("relay.example")).isEmpty();
    assertThat(addresses.of("relay.example")).isEmpty();
    assertThat(asked).hasValue(1);
    answer.set(told("192.0.2.1"));
    passSeconds(70);
    addresses.of("relay.example");
    await().until(() -> !addresses.of("relay.example").isEmpty());
  }

  @Test
  void aResolverThatIsSilentHoldsUpOneGrantOnly() throws Exception {
    CountDownLatch silence = new CountDownLatch(1);
    RelayAddresses slow =
        new RelayAddresses(
            _ -> {
              try {
                silence.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              return told("192.0.2.1");
            },
            now::get);
    assertThat(slow.of("relay.example")).isEmpty();
    assertThat(slow.of("relay.example")).isEmpty();
    silence.countDown();
    await().until(() -> slow.of("relay.example").equals(List.of(told("192.0.2.1"))));
  }
}
