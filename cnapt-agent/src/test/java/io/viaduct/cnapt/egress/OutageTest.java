package io.viaduct.cnapt.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.viaduct.cnapt.classification.Applications;
import io.viaduct.cnapt.classification.Classifier;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class OutageTest {
  private static final Classifier TABLE = Applications.classifier(Optional.empty());
  private static final Duration SHORT = Duration.ofMillis(200);

  private final List<String> done = new CopyOnWriteArrayList<>();
  private boolean refuses;

  private final Outage.Gate gate =
      new Outage.Gate() {
        @Override
        public void open() throws IOException {
          done.add("open");
          if (refuses) {
            throw new IOException("the kernel refuses");
          }
        }

        @Override
        public void shut() {
          done.add("shut");
        }
      };

  @Test
  void trafficIsLetOutAfterTheSetTimeAndNotBefore() {
    try (Outage outage = new Outage(gate, SHORT)) {
      assertThat(done).isEmpty();
      await().until(() -> done.equals(List.of("open")));
      outage.carries(false);
      outage.carries(true);
      await().until(() -> done.equals(List.of("open", "shut")));
      outage.carries(true);
    }
    assertThat(done).containsExactly("open", "shut");
  }

  @Test
  void aTunnelThatCarriesInTimeLetsNothingOut() {
    try (Outage outage = new Outage(gate, SHORT)) {
      outage.carries(true);
      await().during(SHORT.multipliedBy(2)).until(done::isEmpty);
      outage.carries(false);
      outage.carries(true);
      await().during(SHORT.multipliedBy(2)).until(done::isEmpty);
    }
    assertThat(done).isEmpty();
  }

  @Test
  void aStopDuringAnOutageShutsTheDirectWay() {
    try (Outage _ = new Outage(gate, SHORT)) {
      await().until(() -> done.equals(List.of("open")));
    }
    assertThat(done).containsExactly("open", "shut");
  }

  @Test
  void whatTheKernelRefusedHalfwayIsUndone() {
    refuses = true;
    try (Outage _ = new Outage(gate, SHORT)) {
      await().until(() -> done.equals(List.of("open", "shut")));
    }
  }

  private static List<String> selectors(String... direct) {
    return new OutageSettings(List.of(direct), Duration.ofSeconds(10)).selectors(TABLE);
  }

  @Test
  void anApplicationIsRecognisedByItsPortsInTheTable() {
    assertThat(selectors()).isEmpty();
    assertThat(selectors("ssh")).containsExactly("ipproto 6 dport 22");
    assertThat(selectors("remote-desktop"))
        .containsExactly(
            "ipproto 6 dport 3389",
            "ipproto 6 dport 5900-5909",
            "ipproto 17 dport 3389",
            "ipproto 17 dport 5900-5909");
    assertThat(selectors("ssh", "*")).containsExactly("from all");
  }

  @Test
  void anApplicationThatTheKernelCannotRecogniseIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> selectors("applets"))
        .withMessageContaining("outage.direct: 'applets' has no line by protocol and ports alone");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> selectors("quake"))
        .withMessageContaining("unknown application 'quake'; known: *, skype-video");
  }
}
