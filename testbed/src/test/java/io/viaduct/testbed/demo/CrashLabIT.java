package io.viaduct.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// SIGKILL at the worst moments: the bill must still add up, with no report lost and none billed
/// twice.
class CrashLabIT {
  @Test
  void billingBridgeAndSnaptAreKilledInTheMiddleAndTheBillStillAddsUp() throws Exception {
    try (RunningDemo demo =
        RunningDemo.start(
            "crash",
            "--once",
            "--kill=billing@handover",
            "--kill=bridge@interactive",
            "--kill=snapt@conversation")) {
      int status = demo.awaitEnd();
      assertThat(demo.output())
          .contains(
              "killing danum-billing", "killing ims-bridge", "killing snapt-1", "all of it holds");
      assertThat(status).isZero();
    }
  }

  @Test
  void aRelayThatDiesUnderADownloadTakesItsConnectionsButNoReport() throws Exception {
    try (RunningDemo demo =
        RunningDemo.start(
            "crash-relay",
            "--once",
            "--kill=snapt@handover",
            "--kill=billing@interactive",
            "--kill=bridge@conversation")) {
      int status = demo.awaitEnd();
      assertThat(demo.output()).contains("a new TCP connection", "all of it holds");
      assertThat(status).isZero();
    }
  }
}
