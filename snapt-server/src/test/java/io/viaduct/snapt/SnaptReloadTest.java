package io.viaduct.snapt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.reload.ConfigurationReload;
import io.viaduct.service.reload.ConfigurationReload.Outcome;
import io.viaduct.service.reload.ReloadedKeys;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.service.tls.TlsProbe;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.tunnel.control.ControlFrame;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests SIGHUP on a running SNAPT. Starts only its control server, because the data path needs a
/// TUN device.
class SnaptReloadTest {
  private static final List<String> ALPN = List.of(ControlFrame.ALPN);

  @TempDir Path folder;
  private final InstantSource clock = InstantSource.system();
  private TestAuthority authority;
  private Path file;

  @BeforeEach
  void files() throws Exception {
    authority = new TestAuthority(folder.resolve("authority"));
    file = folder.resolve("snapt.yml");
    write(0);
  }

  private void write(int port) throws Exception {
    TlsSettings tls = authority.issue("snapt-1");
    Path key = folder.resolve("report.pem");
    if (!Files.exists(key)) {
      Ed25519.writePrivate(key, Ed25519.generate().getPrivate());
    }
    Files.writeString(
        file,
        """
        id: snapt-1
        state: %s
        tls: {certificate: %s, private-key: %s, trust: %s}
        control: {listen: 127.0.0.1, port: %d, handshake-timeout: 30s}
        portal-probe: {enabled: false}
        data: {loops: 1}
        reporting: {bridge-host: localhost, report-key: %s, drain: 0s}
        """
            .formatted(
                folder.resolve("state"),
                tls.certificate(),
                tls.privateKey(),
                tls.trust(),
                port,
                key));
  }

  private ConfigurationSource<SnaptConfiguration> source() {
    return SnaptReload.source(file, clock);
  }

  @Test
  void aRenewedCertificateIsShownToNewDevicesAndOldConnectionsStand() throws Exception {
    try (Snapt snapt = new Snapt(source().load())) {
      snapt.startControl();
      ConfigurationReload<SnaptConfiguration> reload =
          snapt.reload(source(), ConfigurationKeys.of(source().load()));
      int port = Objects.requireNonNull(snapt.controlAddress()).getPort();
      TlsMaterial first = snapt.tls().get();
      try (TlsProbe old = TlsProbe.connect(port, ALPN, first.authorities())) {
        TlsMaterial renewed = authority.material("snapt-1");
        assertThat(reload.reload()).isEqualTo(Outcome.APPLIED);
        try (TlsProbe after = TlsProbe.connect(port, ALPN, first.authorities())) {
          assertThat(after.certificate()).isEqualTo(renewed.chain().getFirst());
        }
        assertThat(old.isOpen()).isTrue();
      }
    }
  }

  @Test
  void aCertificateOfAnotherSnaptIsRefusedAndTheOldOneStays() throws Exception {
    try (Snapt snapt = new Snapt(source().load())) {
      snapt.startControl();
      ConfigurationReload<SnaptConfiguration> reload =
          snapt.reload(source(), ConfigurationKeys.of(source().load()));
      TlsMaterial first = snapt.tls().get();
      TlsSettings other = authority.issue("snapt-2");
      Files.writeString(
          file,
          Files.readString(file)
              .replace("snapt-1.pem", other.certificate().getFileName().toString())
              .replace("snapt-1.key", other.privateKey().getFileName().toString()));
      assertThat(reload.reload()).isEqualTo(Outcome.REFUSED);
      assertThat(snapt.tls().get()).isSameAs(first);
    }
  }

  @Test
  void aTakenControlPortIsNamedWithItsKeyHostAndPort() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      write(taken.getLocalPort());
      try (Snapt snapt = new Snapt(source().load())) {
        assertThatThrownBy(snapt::startControl)
            .isInstanceOf(IOException.class)
            .hasMessageContaining("control.port")
            .hasMessageContaining("127.0.0.1:" + taken.getLocalPort())
            .hasMessageContaining("address already in use");
      }
    }
  }

  @Test
  void theReadmeNamesTheKeysThatAreReloaded() throws Exception {
    try (Snapt snapt = new Snapt(source().load())) {
      assertThat(ReloadedKeys.named(Path.of("README.md")))
          .isEqualTo(ReloadedKeys.declared(SnaptReload.parts(snapt, clock)));
    }
  }
}
