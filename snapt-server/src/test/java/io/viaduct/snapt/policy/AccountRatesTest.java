package io.viaduct.snapt.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AccountRatesTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final int PACKET_BYTES = 1250;

  private final AccountRates rates = new AccountRates(10_000_000);

  private static long taken(AccountRates.@Nullable Pair of, long fromNs, long seconds) {
    long bytes = 0;
    for (int step = 0; step < seconds * 10_000; step++) {
      bytes += of.up().take(PACKET_BYTES, fromNs + step * 100_000L) ? PACKET_BYTES : 0;
    }
    return bytes;
  }

  @Test
  void anAccountGetsItsRateAndOneBurst() {
    long start = Long.MAX_VALUE - SECOND_NS; // the clock wraps on the way
    assertThat(taken(rates.begin("alice", start), start, 10))
        .isBetween(10 * 1_250_000L, 10 * 1_250_000L + 256 * 1024 + PACKET_BYTES);
  }

  @Test
  void allSessionsOfAnAccountShareTheRateAndTheDirectionsDoNot() {
    AccountRates.Pair one = rates.begin("alice", 0);
    AccountRates.Pair other = rates.begin("alice", 0);
    assertThat(other).isSameAs(one);
    assertThat(taken(one, 0, 1)).isPositive();
    assertThat(one.down().take(PACKET_BYTES, SECOND_NS)).isTrue();
    rates.end("alice");
    assertThat(rates.begin("alice", 0)).isSameAs(one);
  }

  @Test
  void anAccountWithoutASessionIsForgotten() {
    AccountRates.Pair before = rates.begin("alice", 0);
    rates.end("alice");
    assertThat(rates.begin("alice", 0)).isNotSameAs(before);
    assertThat(new AccountRates(0).begin("alice", 0)).isNull();
  }

  @Test
  void anIdleAccountSavesNoMoreThanOneBurst() {
    AccountRates.Pair of = rates.begin("alice", 0);
    long bytes = 0;
    long now = 3600 * SECOND_NS;
    while (of.up().take(PACKET_BYTES, now)) {
      bytes += PACKET_BYTES;
    }
    assertThat(bytes).isLessThanOrEqualTo(256 * 1024);
  }
}
