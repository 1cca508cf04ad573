package io.viaduct.billing.diameter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.credit.CreditControl;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditRequestType;
import io.viaduct.usage.v1.CreditResult;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.UsedUnits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Billing asks an online charging system that others have written, which counts in seconds only.
@Timeout(180)
class KamailioOcsIT {
  @Test
  void aForeignOcsIsAskedAndItsSecondsAreCountedAsAnotherUnit(@TempDir Path folder)
      throws Exception {
    try (KamailioOcs ocs = new KamailioOcs(Files.createDirectories(folder.resolve("ocs")));
        RunningBilling billing =
            RunningBilling.start(
                folder,
                InstantSource.system(),
                SharedDatabase.separate("ocs_" + UUID.randomUUID().toString().replace("-", "")),
                """
                diameter:
                  identity: billing.ims.test
                  realm: ims.test
                  port: 0
                  watchdog: 6s
                  peers: [{host: %s, sources: [], address: 127.0.0.1, port: %d}]
                  ro: {realm: ims.test, chunk: 100, retry: 1s}
                """
                    .formatted(KamailioOcs.HOST, ocs.address().getPort()))) {
      String operator = billing.operator();
      billing.openAccount(operator, "alice");
      CreditRequest request =
          CreditRequest.newBuilder()
              .setSnaptId("snapt-ro")
              .setSessionId(UUID.randomUUID().toString())
              .setAccount("alice")
              .setNumber(1)
              .setType(CreditRequestType.INITIAL)
              .addUsed(
                  UsedUnits.newBuilder()
                      .setApplication("ssh")
                      .setServiceClass(ServiceClass.LT_LD)
                      .setFlows(1))
              .build();
      CreditControl credit = billing.parts.getBean(CreditControl.class);
      assertThat(credit.answer(request, InstantSource.system().instant()).getResult())
          .isEqualTo(CreditResult.CREDIT_LIMIT_REACHED);
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() ->
              assertThat(billing.counter("viaduct_ro_requests_total{result=\"other_unit\""))
                  .as(ocs.log())
                  .isGreaterThan(1)); // the first request, and one after the time of retry
      assertThat(
              billing
                  .get("/api/v1/accounts/alice/credit", operator)
                  .body()
                  .get("availableMicrodenarii")
                  .asLong())
          .isZero();
    }
  }
}
