package io.viaduct.billing;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.reload.ConfigurationReload;
import io.viaduct.service.reload.ConfigurationReload.Outcome;
import io.viaduct.service.reload.ReloadedKeys;
import io.viaduct.service.tls.ExchangeableTls;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.service.tls.TlsProbe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests SIGHUP to a running billing.
class BillingReloadTest {
  @TempDir Path folder;
  private final InstantSource clock = InstantSource.system();

  private ConfigurationReload<BillingConfiguration> reload(RunningBilling billing) {
    var source = BillingReload.source(folder.resolve("billing.yml"), clock);
    return BillingReload.of(source, ConfigurationKeys.of(source.load()), billing.parts);
  }

  @Test
  void aRenewedCertificateAppliesToNewConnectionsAndOldOnesContinue() throws Exception {
    try (RunningBilling billing = RunningBilling.start(folder, clock)) {
      var reload = reload(billing);
      int port = billing.grpcPort();
      TlsMaterial first = billing.parts.getBean(ExchangeableTls.class).get();
      try (TlsProbe old = TlsProbe.connect(port, List.of("h2"), first.authorities())) {
        TlsMaterial renewed = billing.authority.material("danum-billing");
        assertThat(reload.reload()).isEqualTo(Outcome.APPLIED);
        try (TlsProbe after = TlsProbe.connect(port, List.of("h2"), first.authorities())) {
          assertThat(after.certificate()).isEqualTo(renewed.chain().getFirst());
        }
        assertThat(old.isOpen()).isTrue();
        assertThat(reload.reload()).isEqualTo(Outcome.UNCHANGED);
      }
    }
  }

  @Test
  void theFileOfUsersIsImportedAgainAndABadOneIsRefused() throws Exception {
    Path users = Files.writeString(folder.resolve("users.yml"), "subscribers: []\n");
    try (RunningBilling billing =
        RunningBilling.start(folder, clock, "imports: {subscribers: users.yml}")) {
      var reload = reload(billing);
      RunningBilling.secret(folder, "newcomer-password", "newcomer-secret");
      Path password = folder.resolve("newcomer-password");
      String id = "newcomer-" + System.nanoTime();
      Files.writeString(
          users, "subscribers: [{user: %s, password-file: %s}]\n".formatted(id, password));
      assertThat(reload.reload()).isEqualTo(Outcome.APPLIED);
      assertThat(billing.logIn(id, "newcomer-secret")).isNotEmpty();
      Files.writeString(users, "subscribers: [{user: 'a b', password-file: x}]\n");
      assertThat(reload.reload()).isEqualTo(Outcome.REFUSED);
      assertThat(billing.counter("viaduct_configuration_reloads_total{outcome=\"refused\"}"))
          .isEqualTo(1);
    }
  }

  @Test
  void theReadmeNamesTheKeysThatAreReloaded() throws Exception {
    try (RunningBilling billing = RunningBilling.start(folder, clock)) {
      assertThat(ReloadedKeys.named(Path.of("README.md")))
          .isEqualTo(ReloadedKeys.declared(BillingReload.parts(billing.parts)));
    }
  }
}
