package io.viaduct.testbed.sip;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AttemptsTest {
  @Test
  void aFailedScenarioIsNamedAndTheNextOnesAreMeasured() throws Exception {
    Attempts attempts = new Attempts();
    List<String> measured = new ArrayList<>();
    attempts.run("register", () -> measured.add("register"));
    attempts.run(
        "answered",
        () -> {
          throw new IllegalStateException("carries not even 400 exchanges per second");
        });
    attempts.run("relayed", () -> measured.add("relayed"));
    assertThat(measured).containsExactly("register", "relayed");
    assertThat(attempts.failed())
        .isEqualTo(Map.of("answered", "carries not even 400 exchanges per second"));
  }

  @Test
  void theBridgeAnswersTheOneSourceOfTheLoadAsOftenAsItAsks() {
    assertThat(BridgeServer.roomy("domain: ims.test\nsip: {port: 5060}\n", 5))
        .isEqualTo(
            "domain: ims.test\nsip: {bindings: 100005, answers-per-source: 100000, port: 5060}\n");
  }
}
