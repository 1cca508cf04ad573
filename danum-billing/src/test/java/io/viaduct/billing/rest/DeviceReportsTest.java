package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.mediation.PostedReports;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Reports of devices over REST.
class DeviceReportsTest {
  private static RunningBilling billing;
  private static String operator;

  private final String alice = "alice-" + UUID.randomUUID().toString().substring(0, 8);

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing = RunningBilling.start(folder, new ManualClock());
    operator = billing.operator();
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  @Test
  void aUserSeesWhatIsNotChargedYet() throws Exception {
    billing.openAccount(operator, alice);
    PostedReports.byDeviceAlone(alice);
    String path = "/api/v1/accounts/" + alice + "/device-reports";
    JsonNode own = billing.get(path, billing.logIn(alice, "password-of-" + alice)).body();
    assertThat(own.get("provisional").asLong()).isEqualTo(1);
    assertThat(own.get("expectedMicrodenarii").asString()).isEqualTo("35541158");
    JsonNode report = own.at("/deviceReports/0");
    assertThat(report.get("state").asString()).isEqualTo("provisional");
    assertThat(report.get("bytes").asString()).isEqualTo("3975000");
    assertThat(report.get("expectedMicrodenarii").asString()).isEqualTo("35541158");
    assertThat(billing.get(path + "?state=final", operator).body().get("deviceReports")).isEmpty();
  }

  @Test
  void anOperatorSeesTheReportsOfAllAndFindsThemByAccountAndState() throws Exception {
    billing.openAccount(operator, alice);
    PostedReports.byBothEnds(alice, 3_000_000);
    String path = "/api/v1/reports/devices?account=" + alice;
    assertThat(billing.get(path, operator).body().get("deviceReports"))
        .as("answered by the SNAPT's report")
        .isEmpty();
    assertThat(billing.get(path + "&state=discrepant", operator).body().get("deviceReports"))
        .singleElement()
        .satisfies(
            report -> assertThat(report.get("snapt").asString()).isEqualTo("snapt-" + alice));
    assertThat(billing.get(path + "&state=lost", operator).status()).isEqualTo(400);
  }
}
