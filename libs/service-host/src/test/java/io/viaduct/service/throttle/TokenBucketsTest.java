package io.viaduct.service.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TokenBucketsTest {
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final TokenBuckets<String> buckets =
      new TokenBuckets<>(3, Duration.ofSeconds(2), 1000, () -> now);

  private long taken(String key, int attempts) {
    return IntStream.range(0, attempts).filter(_ -> buckets.take(key)).count();
  }

  @Test
  void aKeyHasItsBurstAndThenOneTokenPerPeriod() {
    assertThat(taken("a", 10)).isEqualTo(3);
    assertThat(buckets.untilNext("a")).isEqualTo(Duration.ofSeconds(2));
    assertThat(taken("b", 10)).as("another key has its own").isEqualTo(3);
    now = now.plusSeconds(2);
    assertThat(taken("a", 10)).isEqualTo(1);
    now = now.plusSeconds(60);
    assertThat(taken("a", 10)).isEqualTo(3);
  }

  @Test
  void parallelTakersNeverGetMoreThanTheBurst() {
    assertThat(IntStream.range(0, 1000).parallel().filter(_ -> buckets.take("a")).count())
        .isEqualTo(3);
  }

  @Test
  void aTokenThatComesLaterIsTakenUpToTheLongestWait() {
    assertThat(taken("a", 3)).isEqualTo(3);
    Duration longest = Duration.ofSeconds(5);
    assertThat(buckets.takeNext("a", longest)).isEqualTo(Duration.ofSeconds(2));
    assertThat(buckets.takeNext("a", longest)).isEqualTo(Duration.ofSeconds(4));
    assertThat(buckets.takeNext("a", longest)).isNegative();
    assertThat(buckets.takeNext("a", Duration.ofSeconds(6))).isEqualTo(Duration.ofSeconds(6));
  }

  @Test
  void aTokenThatIsGivenBackCanBeTakenAgain() {
    assertThat(taken("a", 3)).isEqualTo(3);
    buckets.giveBack("a");
    assertThat(taken("a", 3)).isEqualTo(1);
    buckets.fill("a");
    assertThat(taken("a", 10)).isEqualTo(3);
  }

  @Test
  void aFloodOfNewKeysLeavesABusyKeyItsEmptyBucket() {
    long taken = 0;
    for (int i = 0; i < 20_000; i++) {
      buckets.take("flood-" + i);
      taken += taken("busy", 1);
    }
    assertThat(taken).isEqualTo(3);
  }

  @Test
  void anIpv6HostIsItsNetworkAndAnIpv4HostItsAddress() throws Exception {
    SourceNetwork one = SourceNetwork.of(InetAddress.getByName("2001:db8:1:2::1"));
    assertThat(one).isEqualTo(SourceNetwork.of(InetAddress.getByName("2001:db8:1:2:3:4:5:6")));
    assertThat(one).isNotEqualTo(SourceNetwork.of(InetAddress.getByName("2001:db8:1:3::1")));
    assertThat(one).hasToString("2001:db8:1:2:0:0:0:0/64");
    assertThat(SourceNetwork.of(InetAddress.getByName("192.0.2.1"))).hasToString("192.0.2.1");
  }
}
