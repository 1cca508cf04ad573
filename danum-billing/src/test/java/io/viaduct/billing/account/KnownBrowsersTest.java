package io.viaduct.billing.account;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class KnownBrowsersTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final KnownBrowsers browsers = KnownBrowsers.of(new byte[] {1, 2, 3});

  @Test
  void aMarkIsKnownToTheNameThatItWasMadeForAlsoAfterARestart() {
    String mark = browsers.mark("alice", NOW);
    assertThat(mark).matches("[A-Za-z0-9_-]{54}");
    assertThat(browsers.recognise(mark, "alice", NOW)).isPresent();
    assertThat(KnownBrowsers.of(new byte[] {1, 2, 3}).recognise(mark, "alice", NOW))
        .isEqualTo(browsers.recognise(mark, "alice", NOW));
    assertThat(browsers.recognise(mark, "bob", NOW)).isEmpty();
    assertThat(KnownBrowsers.of(new byte[] {1, 2, 4}).recognise(mark, "alice", NOW)).isEmpty();
  }

  @Test
  void everyBrowserHasAnIdOfItsOwn() {
    assertThat(browsers.recognise(browsers.mark("alice", NOW), "alice", NOW))
        .isNotEqualTo(browsers.recognise(browsers.mark("alice", NOW), "alice", NOW));
  }

  @Test
  void aChangedExpiredOrMalformedMarkIsUnknown() {
    String mark = browsers.mark("alice", NOW);
    for (int i = 0; i < mark.length(); i++) {
      char other = mark.charAt(i) == 'A' ? 'B' : 'A';
      String changed = mark.substring(0, i) + other + mark.substring(i + 1);
      assertThat(
              browsers.recognise(changed, "alice", NOW).isPresent()
                  && !browsers
                      .recognise(changed, "alice", NOW)
                      .equals(browsers.recognise(mark, "alice", NOW)))
          .isFalse();
    }
    Instant last = NOW.plus(KnownBrowsers.LIFETIME);
    assertThat(browsers.recognise(mark, "alice", last)).isPresent();
    assertThat(browsers.recognise(mark, "alice", last.plus(Duration.ofSeconds(1)))).isEmpty();
    for (String rubbish : new String[] {"", "A", "%%%", "A".repeat(54), "A".repeat(10_000)}) {
      assertThat(browsers.recognise(rubbish, "alice", NOW)).isEmpty();
    }
  }
}
