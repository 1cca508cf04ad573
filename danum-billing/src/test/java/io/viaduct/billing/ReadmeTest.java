package io.viaduct.billing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.operations.Garbage;
import io.viaduct.service.operations.MetricNames;
import io.viaduct.service.operations.ProcessMetrics;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Compares the README's table of metrics with the registered metrics.
class ReadmeTest {
  private static final String DIAMETER =
      "diameter: {identity: billing.ims.test, realm: ims.test, port: 0,"
          + " peers: [{host: cdf.ims.test, sources: [], address: 127.0.0.9}],"
          + " rf: {directory: records, realm: ims.test}, ro: {realm: ims.test}}";

  @TempDir Path folder;
  @TempDir Path other;

  // Records go by one of the two protocols, so their metrics are in two processes.
  private Set<String> ofRadius() throws Exception {
    Path secret = RunningBilling.secret(other, "radius-secret", "a secret of two ends");
    String radius =
        "radius: {port: 0, clients: [{name: wifi, address: 127.0.0.9, secret-file: %1$s}],"
            + " accounting: {directory: records, servers: [{address: 127.0.0.9, secret-file: %1$s}]}}";
    try (RunningBilling billing =
        RunningBilling.start(other, InstantSource.system(), radius.formatted(secret))) {
      return MetricNames.registered(billing.metrics());
    }
  }

  @Test
  void metricsOfBillingAreExactlyThoseOfTheReadme() throws Exception {
    Set<String> registered = new TreeSet<>(ofItsOwnDatabase());
    registered.addAll(ofRadius());
    try (RunningBilling billing = RunningBilling.start(folder, InstantSource.system(), DIAMETER)) {
      var source = BillingReload.source(folder.resolve("billing.yml"), InstantSource.system());
      var unused = BillingReload.of(source, ConfigurationKeys.of(source.load()), billing.parts);
      // Resources are created at their first request.
      assertThat(billing.get("/api/v1/accounts", billing.operator()).status()).isEqualTo(200);
      assertThat(billing.get("/api/v1/accounts", null).status()).isEqualTo(401);
      assertThat(billing.get("/api/v1/vouchers", billing.operator()).status()).isEqualTo(200);
      assertThat(billing.post("/api/v1/payments/events", null, "{}").status()).isEqualTo(409);
      await().until(() -> billing.counter("viaduct_ledger_verification_timestamp_seconds") > 1.7e9);
      Garbage.collect();
      String scraped = billing.metrics();
      registered.addAll(MetricNames.registered(scraped));
      assertThat(MetricNames.undescribed(scraped)).isEmpty();
      assertThat(MetricNames.misspelt(scraped)).isEmpty();
      assertThat(
              MetricNames.value(
                  scraped, "viaduct_requests_refused_total{reason=\"unauthenticated\""))
          .isPositive();
      assertThat(MetricNames.value(scraped, "viaduct_ledger_invariants_broken ")).isZero();
    }
    assertThat(registered).isEqualTo(MetricNames.named(Path.of("README.md")));
  }

  private static Set<String> ofItsOwnDatabase() {
    try (ProcessMetrics metrics = new ProcessMetrics("danum-billing", BillingApplication.class)) {
      SharedDatabase.database().supervise(metrics.registry());
      return MetricNames.registered(metrics);
    }
  }
}
