package io.viaduct.snapt;

import static org.awaitility.Awaitility.await;

import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TlsSettings;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;

/// A laboratory with a bridge. Starts a SNAPT and devices as processes.
public final class SnaptStand implements AutoCloseable {
  private static final int CONTROL_PORT = 4443;
  private static final String METRICS =
      "exec 3<>/dev/tcp/127.0.0.1/9464; printf 'GET /metrics HTTP/1.1\\r\\nConnection: close\\r\\n\\r\\n'"
          + " >&3; cat <&3";

  public final Lab lab = new Lab();
  public final TestOperator operator;
  public final TestBridge bridge;
  private final Path folder;

  public SnaptStand(Path folder) throws Exception {
    this.folder = folder;
    lab.lay();
    operator = new TestOperator(folder.resolve("pki"));
    bridge =
        new TestBridge(
            operator.material("ims-bridge", "10.99.0.1"),
            new InetSocketAddress("10.99.0.1", 0),
            operator.tokenKey());
  }

  /// Starts the SNAPT and waits until its status has reached the bridge.
  ///
  /// @param more further lines of its configuration
  public Lab.Running startSnapt(String more) throws Exception {
    Path file = configuration(4500, more);
    Lab.Running snapt =
        lab.start(lab.snapt, SnaptCommand.class, "run", "--config", file.toString());
    int before = bridge.statuses.size();
    await()
        .atMost(Duration.ofSeconds(40))
        .failFast("SNAPT ended", () -> !snapt.process.isAlive())
        .until(() -> bridge.statuses.size() > before + 1);
    return snapt;
  }

  /// Writes the SNAPT's configuration.
  ///
  /// @param dataPort UDP port of the tunnel
  /// @param more lines to append
  public Path configuration(int dataPort, String more) throws Exception {
    TlsSettings tls = operator.issue("snapt-1", "10.99.1.1", "10.99.2.1", "10.99.0.2");
    return Files.writeString(
        folder.resolve("snapt.yml"),
        """
        id: snapt-1
        state: %1$s/state
        socket: %1$s/snapt.sock
        tls: {certificate: %2$s, private-key: %3$s, trust: %4$s}
        control: {host: 10.99.1.1, port: %5$d}
        data: {port: %8$d, loops: 2}
        metering: {interval: 5s}
        reporting: {bridge-host: 10.99.0.1, bridge-port: %6$d, report-key: %7$s, status-every: 500ms}
        operations: {host: 127.0.0.1, port: 9464}
        """
                .formatted(
                    folder,
                    tls.certificate(),
                    tls.privateKey(),
                    tls.trust(),
                    CONTROL_PORT,
                    bridge.port(),
                    operator.reportKey(),
                    dataPort)
            + more);
  }

  /// Starts a device and waits until its tunnel is up. An account has one device, with one key.
  ///
  /// @param snaptAddress address under which the namespace reaches the SNAPT
  public Lab.Running startDevice(String namespace, String snaptAddress, String account)
      throws Exception {
    Path key = folder.resolve(account + ".pem");
    Path token = folder.resolve(account + ".token");
    if (!Files.exists(key)) {
      KeyPair device = Ed25519.generate();
      Ed25519.writePrivate(key, device.getPrivate());
      Files.write(token, operator.sign(TestOperator.token(account, device).build()).toByteArray());
    }
    Lab.Running running =
        lab.start(
            namespace,
            LabDevice.class,
            snaptAddress,
            String.valueOf(CONTROL_PORT),
            operator.trust().toString(),
            key.toString(),
            token.toString());
    running.line("up ");
    return running;
  }

  /// Returns the SNAPT's `/metrics`.
  public String metrics() throws Exception {
    return lab.said(lab.snapt, "bash", "-c", METRICS);
  }

  @Override
  public void close() throws Exception {
    bridge.close();
    lab.close();
  }
}
