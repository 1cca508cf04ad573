package io.viaduct.billing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.spring.SpringService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Starts billing with a PostgreSQL of its own.
class BillingApplicationTest {
  @TempDir Path folder;

  private SpringService billing(int restPort, int grpcPort) throws Exception {
    TlsSettings tls = new TestAuthority(folder).issue("danum-billing");
    Path file =
        Files.writeString(
            folder.resolve("billing.yml"),
            """
            rest: {port: %d}
            grpc: {port: %d}
            operations: {port: 0}
            tls: {certificate: %s, private-key: %s, trust: %s}
            database: {data-directory: data, binaries-directory: %s}
            operator: {password-file: %s}
            sip-domain: ims.test
            credentials: {key-file: credential.key}
            """
                .formatted(
                    restPort,
                    grpcPort,
                    tls.certificate(),
                    tls.privateKey(),
                    tls.trust(),
                    SharedDatabase.BINARIES,
                    RunningBilling.secret(folder, "operator-password", "operator-secret")));
    return BillingApplication.of(
        ConfigurationFile.load(file, BillingConfiguration.class), InstantSource.system());
  }

  @Test
  void aFailedStartLeavesNoPostgresBehind() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      int port = taken.getLocalPort();
      for (SpringService billing : new SpringService[] {billing(port, 0), billing(0, port)}) {
        assertThatThrownBy(billing::start)
            .isInstanceOf(IOException.class)
            .hasMessageContaining("address already in use");
        assertThat(folder.resolve("data/cluster/PG_VERSION")).exists();
        assertThat(folder.resolve("data/cluster/postmaster.pid")).doesNotExist();
        billing.close();
      }
    }
  }

  @Test
  void aSecondStopDoesNothing() throws Exception {
    try (SpringService billing = billing(0, 0)) {
      billing.start();
      billing.close();
      assertThat(folder.resolve("data/cluster/postmaster.pid")).doesNotExist();
    }
  }
}
