package io.viaduct.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// Kills services with SIGKILL at the worst moments. The same TCP connection continues, the bill is
/// still correct, and no report is lost or billed twice.
class CrashLabIT {
  @Test
  void snaptBillingAndBridgeAreKilledInTheMiddleAndTheBillStillAddsUp() throws Exception {
    try (RunningDemo demo =
        RunningDemo.start(
            "crash",
            "--once",
            "--brief", // the other steps are those of DemoLabIT, and need no kill
            "--kill=snapt@handover",
            "--kill=billing@handover",
            "--kill=bridge@interactive",
            "--kill=snapt@conversation")) {
      int status = demo.awaitEnd();
      assertThat(demo.output())
          .contains("restarted: danum-billing (1×), ims-bridge (1×), snapt-1 (2×)")
          .contains("ok  the same TCP connection", "all claims of the demonstration hold")
          .contains("accepted yes, read yes, answered yes")
          .doesNotContain("NOT the same TCP connection");
      assertThat(status).isZero();
    }
  }
}
