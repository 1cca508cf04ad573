package io.viaduct.bridge.provisioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.bridge.EnrolmentStub;
import io.viaduct.bridge.configuration.Snapt;
import io.viaduct.bridge.directory.Relay;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.service.logging.CapturedLog;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.v1.EnrolledSnapt;
import io.viaduct.usage.v1.SnaptStatus;
import io.viaduct.usage.v1.SurchargeTerms;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// SNAPTs are enrolled, change and go in billing; the bridge follows, over real sockets.
@Timeout(60)
class SnaptFeedTest {
  @TempDir Path state;

  private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final SnaptDirectory directory =
      new SnaptDirectory(List.of(line("snapt-1")), Duration.ofSeconds(15), () -> now);
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final List<String> counted = new CopyOnWriteArrayList<>();
  private EnrolmentStub billing;
  private ManagedChannel channel;

  @BeforeEach
  void open() throws Exception {
    billing = new EnrolmentStub(0);
    channel = NettyChannelBuilder.forAddress("127.0.0.1", billing.port()).usePlaintext().build();
  }

  @AfterEach
  void close() throws Exception {
    channel.shutdownNow();
    billing.close();
  }

  private static Snapt line(String id) {
    byte[] key = Ed25519.raw((EdECPublicKey) Ed25519.generate().getPublic());
    return new Snapt(id, Base64.getEncoder().encodeToString(key), "acme", "core", Optional.empty());
  }

  private SnaptFeed feed(Snapt... configured) throws Exception {
    return SnaptFeed.start(channel, directory, List.of(configured), counted::add, state, registry);
  }

  private List<String> ids() {
    return directory.all().stream().map(entry -> entry.configured().id()).toList();
  }

  private void announces(String id) {
    directory.note(
        id,
        SnaptStatus.newBuilder()
            .setSnaptId(id)
            .setHost("relay.test")
            .setControlPort(443)
            .setDataPort(443)
            .setRegion("told by itself")
            .build());
  }

  @Test
  void configuredSnaptsAreShownToBillingWhoseListIsUsedFromThenOn() throws Exception {
    billing.put(EnrolmentStub.snapt("snapt-0", "beacon"));
    try (SnaptFeed feed = feed(line("snapt-1"))) {
      await().until(() -> ids().equals(List.of("snapt-0", "snapt-1")));
      assertThat(billing.imports).containsExactly(List.of("snapt-1"));
      assertThat(counted).contains("snapt-0", "snapt-1");
      billing.remove("snapt-1");
      await().until(() -> ids().equals(List.of("snapt-0")));
      feed.configured(List.of(line("snapt-1"), line("snapt-2")));
      await().until(() -> billing.imports.size() == 2);
      assertThat(billing.imports.getLast()).containsExactly("snapt-1", "snapt-2");
      await().until(() -> ids().contains("snapt-2"));
    }
  }

  @Test
  void aChangeReachesTheListsOfDevicesAtOnceAndAScheduledPriceAtItsTime() throws Exception {
    try (SnaptFeed _ = feed()) {
      await().until(() -> ids().isEmpty());
      EnrolledSnapt snapt = EnrolmentStub.snapt("snapt-3", "beacon");
      billing.put(snapt);
      await().until(() -> ids().equals(List.of("snapt-3")));
      announces("snapt-3");
      assertThat(relay().region()).isEqualTo("north");
      assertThat(relay().surcharges()).isEmpty();
      billing.put(
          snapt.toBuilder()
              .addSurcharges(price(1, now, 0, 0, 0, 1_000_000))
              .addSurcharges(price(2, now.plusSeconds(5), 0, 0, 0, 2_000_000))
              .build());
      await().until(() -> !relay().surcharges().isEmpty());
      assertThat(relay().surcharges()).containsExactly(0L, 0L, 0L, 1_000_000L);
      now = now.plusSeconds(5);
      assertThat(relay().surcharges()).containsExactly(0L, 0L, 0L, 2_000_000L);
      now = now.plusSeconds(10);
      announces("snapt-3");
      assertThat(directory.entries().getFirst().getSurchargesList())
          .containsExactly(0L, 0L, 0L, 2_000_000L);
    }
  }

  private Relay relay() {
    return directory.relays().getFirst();
  }

  private static SurchargeTerms price(int version, Instant from, long... amounts) {
    SurchargeTerms.Builder terms =
        SurchargeTerms.newBuilder().setVersion(version).setFromMs(from.toEpochMilli());
    for (long each : amounts) {
      terms.addMicrodenariiPerGigabyte(each);
    }
    return terms.build();
  }

  @Test
  void aStartWhileBillingIsAwayUsesTheCopyAndNotTheConfiguration() throws Exception {
    billing.put(EnrolmentStub.snapt("snapt-7", "beacon"));
    Path copy = state.resolve("snapts");
    try (SnaptFeed _ = feed()) {
      await().until(() -> ids().equals(List.of("snapt-7")) && Files.exists(copy));
    }
    assertThat(Files.getPosixFilePermissions(copy))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    billing.close();
    directory.enrol(List.of());
    try (SnaptFeed _ = feed(line("snapt-1"))) {
      assertThat(ids()).containsExactly("snapt-7");
      await().until(() -> registry.get("viaduct_bridge_enrolment_failures").counter().count() >= 1);
      assertThat(registry.get("viaduct_bridge_enrolment_current").gauge().value()).isZero();
      assertThat(ids()).containsExactly("snapt-7");
    }
  }

  @Test
  void anEventOfAnUnknownKindChangesNothingAndTheStreamGoesOn() throws Exception {
    billing.put(EnrolmentStub.snapt("snapt-1", "acme"));
    try (SnaptFeed _ = feed()) {
      await().until(() -> registry.get("viaduct_bridge_enrolment_current").gauge().value() == 1);
      billing.tellUnknown();
      billing.put(EnrolmentStub.snapt("snapt-2", "acme"));
      await().until(() -> ids().equals(List.of("snapt-1", "snapt-2")));
      assertThat(counted).containsExactly("snapt-1", "snapt-1", "snapt-2");
      assertThat(registry.get("viaduct_bridge_enrolment_failures").counter().count()).isZero();
    }
  }

  @Test
  void aConfiguredSnaptThatBillingRefusesIsNamedOnceAndTheOthersAreUsed() throws Exception {
    Snapt far = new Snapt("far", line("far").reportKey(), "acme", "x".repeat(65), Optional.empty());
    try (CapturedLog log = CapturedLog.of("io.viaduct.bridge.provisioning");
        SnaptFeed feed = feed(far, line("snapt-1"))) {
      await().until(() -> ids().equals(List.of("snapt-1")));
      feed.configured(List.of(far, line("snapt-2")));
      await().until(() -> ids().contains("snapt-2"));
      assertThat(log.lines("refuses SNAPT 'far': region is long")).hasSize(1);
    }
  }

  @Test
  void aFailedImportKeepsNoEnrolledSnaptOut() throws Exception {
    billing.importFailure = Status.INVALID_ARGUMENT.withDescription("region is long");
    billing.put(EnrolmentStub.snapt("snapt-0", "beacon"));
    try (CapturedLog log = CapturedLog.of("io.viaduct.bridge.provisioning");
        SnaptFeed _ = feed(line("snapt-1"))) {
      await().until(() -> ids().equals(List.of("snapt-0")));
      assertThat(log.lines("INVALID_ARGUMENT")).hasSize(1);
    }
  }

  @Test
  void aSnaptOfBillingThatBreaksARuleIsLeftOutAndTheOthersAreUsed() throws Exception {
    billing.put(EnrolledSnapt.newBuilder().setSnaptId("not an id").setOwner("acme").build());
    billing.put(EnrolmentStub.snapt("snapt-1", "acme"));
    try (SnaptFeed _ = feed()) {
      await().until(() -> registry.get("viaduct_bridge_enrolment_current").gauge().value() == 1);
      assertThat(ids()).containsExactly("snapt-1");
    }
  }
}
