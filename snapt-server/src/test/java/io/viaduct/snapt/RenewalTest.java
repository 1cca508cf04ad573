package io.viaduct.snapt;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.service.tls.TlsProbe;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.snapt.Renewal.Outcome;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.usage.v1.JoinAnswer;
import io.viaduct.usage.v1.JoinAnswer.Verdict;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A SNAPT that asks its bridge for the next certificate, over mutual TLS. Its data path is not
/// started.
class RenewalTest {
  private static final List<String> ALPN = List.of(ControlFrame.ALPN);

  @TempDir Path folder;
  private TestAuthority authority;
  private TlsSettings tls;
  private TestBridge bridge;
  private SnaptConfiguration configuration;
  private Snapt snapt;

  @BeforeEach
  void start() throws Exception {
    authority = new TestAuthority(folder.resolve("authority"));
    bridge =
        new TestBridge(authority.material("ims-bridge"), new InetSocketAddress("127.0.0.1", 0));
    tls = authority.issue("snapt-1");
    Path key = folder.resolve("report.pem");
    Ed25519.writePrivate(key, Ed25519.generate().getPrivate());
    Path file =
        Files.writeString(
            folder.resolve("snapt.yml"),
            """
            id: snapt-1
            state: %s
            tls: {certificate: %s, private-key: %s, trust: %s}
            control: {listen: 127.0.0.1, port: 0, handshake-timeout: 30s}
            portal-probe: {enabled: false}
            data: {loops: 1}
            reporting: {bridge-host: localhost, bridge-port: %d, report-key: %s, drain: 0s}
            """
                .formatted(
                    folder.resolve("state"),
                    tls.certificate(),
                    tls.privateKey(),
                    tls.trust(),
                    bridge.port(),
                    key));
    configuration = SnaptReload.source(file, InstantSource.system()).load();
    snapt = new Snapt(configuration);
  }

  @AfterEach
  void stop() {
    snapt.close();
    bridge.close();
  }

  private void answer(Verdict verdict, String certificates) {
    bridge.renewal =
        JoinAnswer.newBuilder().setVerdict(verdict).setCertificates(certificates).build();
  }

  private String next(Duration from, String... names) throws Exception {
    Instant end = snapt.tls().get().chain().getFirst().getNotAfter().toInstant().plus(from);
    return authority.reissue(snapt.tls().get(), end, names);
  }

  private double count(Outcome outcome) {
    return snapt
        .metrics
        .registry()
        .get("viaduct_certificate_renewals")
        .tag("outcome", outcome.name().toLowerCase(java.util.Locale.ROOT))
        .counter()
        .count();
  }

  @Test
  void theNextCertificateIsUsedForNewDevicesAndOpenConnectionsStand() throws Exception {
    snapt.startControl();
    int port = Objects.requireNonNull(snapt.controlAddress()).getPort();
    TlsMaterial first = snapt.tls().get();
    answer(Verdict.WAITING, "");
    assertThat(snapt.renewal().attempt()).isEqualTo(Outcome.WAITING);
    assertThat(bridge.renewals).singleElement().asString().contains("CERTIFICATE REQUEST");
    try (TlsProbe old = TlsProbe.connect(port, ALPN, first.authorities())) {
      String renewed = next(Duration.ofDays(30), "localhost");
      answer(Verdict.CERTIFIED, renewed);
      assertThat(snapt.renewal().attempt()).isEqualTo(Outcome.RENEWED);
      assertThat(Files.readString(tls.certificate())).isEqualTo(renewed);
      try (TlsProbe after = TlsProbe.connect(port, ALPN, first.authorities())) {
        assertThat(after.certificate()).isEqualTo(snapt.tls().get().chain().getFirst());
        assertThat(after.certificate()).isNotEqualTo(first.chain().getFirst());
      }
      assertThat(old.isOpen()).isTrue();
    }
    assertThat(count(Outcome.RENEWED)).isEqualTo(1);
    assertThat(count(Outcome.WAITING)).isEqualTo(1);
  }

  @Test
  void aCertificateThatDoesNotFitOrIsNotNewerIsNotUsed() throws Exception {
    String before = Files.readString(tls.certificate());
    answer(Verdict.CERTIFIED, next(Duration.ofDays(30), "another-host"));
    assertThat(snapt.renewal().attempt()).isEqualTo(Outcome.UNFIT);
    answer(Verdict.CERTIFIED, Files.readString(authority.issue("snapt-2").certificate()));
    assertThat(snapt.renewal().attempt()).isEqualTo(Outcome.UNFIT);
    answer(Verdict.CERTIFIED, "nonsense");
    assertThat(snapt.renewal().attempt()).isEqualTo(Outcome.UNFIT);
    answer(Verdict.CERTIFIED, next(Duration.ofHours(-1), "localhost"));
    assertThat(snapt.renewal().attempt()).isEqualTo(Outcome.WAITING);
    assertThat(Files.readString(tls.certificate())).isEqualTo(before);
    assertThat(count(Outcome.UNFIT)).isEqualTo(3);
  }

  @Test
  void aRefusalAndABridgeOfTheVersionBeforeAreCounted() {
    answer(Verdict.RENEWAL_REFUSED, "");
    assertThat(snapt.renewal().attempt()).isEqualTo(Outcome.REFUSED);
    bridge.renewal = null;
    assertThat(snapt.renewal().attempt()).isEqualTo(Outcome.BRIDGE_AWAY);
    bridge.close();
    assertThat(snapt.renewal().attempt()).isEqualTo(Outcome.BRIDGE_AWAY);
    assertThat(count(Outcome.REFUSED)).isEqualTo(1);
    assertThat(count(Outcome.BRIDGE_AWAY)).isEqualTo(2);
  }

  @Test
  void aCertificateThatEndsSoonIsDueAndCheckWarnsOfIt() {
    Instant end = snapt.tls().get().chain().getFirst().getNotAfter().toInstant();
    Instant early = end.minus(configuration.renewal().before()).minusSeconds(1);
    var current = snapt.tls().get().chain().getFirst();
    assertThat(Renewal.isDue(configuration, current, early)).isFalse();
    assertThat(Renewal.warning(configuration, early)).isEmpty();
    assertThat(Renewal.isDue(configuration, current, early.plusSeconds(2))).isTrue();
    assertThat(Renewal.warning(configuration, early.plusSeconds(2)))
        .hasValueSatisfying(line ->
            assertThat(line)
                .contains("tls.certificate", "in 29 days", "denarii snapts csr snapt-1"));
  }
}
