package io.viaduct.bridge.token;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.bridge.directory.Relay;
import io.viaduct.bridge.directory.RelayAddresses;
import io.viaduct.bridge.registrar.CreditState;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.sip.guard.GuardLimits;
import io.viaduct.sip.useragent.SessionGrant;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SessionDocumentTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final TokenIssuer tokens =
      new TokenIssuer(Ed25519.generate(), List.of(), Duration.ofMinutes(10), "snapts", () -> NOW);

  private static List<Relay> relays(int count) {
    return IntStream.range(0, count)
        .mapToObj(i ->
            new Relay("snapt-%04d".formatted(i), "10.0.0.1", 443, 443, "nörd", List.of(1L, 2L)))
        .toList();
  }

  private SessionGrant granted(int relays, String... first) {
    return granted(new byte[32], relays, first);
  }

  private SessionGrant granted(byte[] deviceKey, int relays, String... first) {
    String body =
        SessionDocument.notify(
            "sid",
            relays(relays),
            List.of(first),
            deviceKey,
            new RelayAddresses(_ -> new InetAddress[0], () -> NOW),
            tokens.issue(
                new TokenIssuer.Holder("alice", "sip:alice@ims.test", new byte[32], "", List.of())),
            tokens.publicKeys(),
            NOW.toEpochMilli(),
            60,
            "icid",
            CreditState.SUFFICIENT);
    assertThat(body.getBytes(StandardCharsets.UTF_8).length)
        .isLessThanOrEqualTo(GuardLimits.STANDARD.bodyBytes());
    return SessionGrant.parse(body);
  }

  @Test
  void aListThatFitsIsWhole() {
    assertThat(granted(40).relays()).hasSize(40);
  }

  @Test
  void aListOfAThousandSnaptsEndsWhereAUserAgentWouldRefuseTheMessage() {
    assertThat(granted(1_000).relays()).hasSizeBetween(50, 128);
  }

  @Test
  void theListsOfManyDevicesHaveAllSnaptsOfALargeFleet() {
    Random random = new Random(1);
    Map<String, Integer> devicesOf = new HashMap<>();
    for (int device = 0; device < 300; device++) {
      byte[] key = new byte[32];
      random.nextBytes(key);
      granted(key, 300).relays().forEach(each -> devicesOf.merge(each.id(), 1, Integer::sum));
    }
    assertThat(devicesOf)
        .hasSize(300)
        .allSatisfy((_, devices) -> assertThat(devices).isBetween(20, 200));
  }

  @Test
  void theSnaptsThatDevicesTryFirstAreInItWhereverTheyStand() {
    assertThat(granted(1_000, "snapt-0999", "snapt-0500").relays())
        .extracting(SessionGrant.Relay::id)
        .startsWith("snapt-0999", "snapt-0500")
        .doesNotHaveDuplicates();
  }
}
